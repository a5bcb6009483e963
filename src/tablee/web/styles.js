/** Stylesheets that only some pages need. */

/**
 * Load a stylesheet and wait for it, so that nothing is drawn without it.
 * @param {string} address
 */
export async function addStyle(address) {
  if (document.querySelector(`link[href="${address}"], link[data-contains~="${address}"]`)) return; // alone or in a bundle
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${address} could not be loaded`));
    });
  });
  document.head.append(link);
  await loaded;
}
