"""Has a syntax error in its second line, with markup in it; markup that reaches a page unescaped would show that it worked."""


def scale(x, factor: "<script>alert(1)</script>"
    return x * factor
