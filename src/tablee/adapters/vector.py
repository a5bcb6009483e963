"""Many environments in one batch, as a Gymnasium `VectorEnv`."""
