"""Raises a type whose name is markup; markup that reaches a page unescaped would show that it worked."""


def scale(x, factor):
    raise type("<script>alert(1)</script>\n\x1b[2J" * 50, (Exception,), {})("=cmd|' /C calc'!A0")
