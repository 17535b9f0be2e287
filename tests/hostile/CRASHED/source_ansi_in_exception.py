"""Raises with terminal codes, markup and a bidirectional override in its text; any of them reaching a page or a terminal as such would show that it worked."""


def scale(x, factor):
    raise ValueError(
        "\x1b]0;owned\x07\x1b[2J\u202e<script>alert(1)</script>[red]\x00\ud800`</code><img src=x onerror=alert(1)>"
    )
