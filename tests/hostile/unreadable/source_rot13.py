# coding: rot13
"""Names an encoding that turns text around; points would show that it worked."""
