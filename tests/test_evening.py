"""An evening at the shortest game; `make evening` plays all of them."""

import pytest

from browser import CHROMIUM, Server
from evening import Evening

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")


def test_two_people_and_a_watcher_play_through_an_evening(browser, tmp_path):
    server = Server(tmp_path)
    try:
        evening = Evening(browser, server, "xe_queo")
        evening.play()
        evening.close()
    finally:
        server.stop()
