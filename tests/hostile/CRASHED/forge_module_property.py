"""Replaces its own module's class by one whose attributes raise SystemExit; a GRADER_ERROR would show that it worked."""

import sys
import types


class Module(types.ModuleType):
    @property
    def scale(self):
        raise SystemExit(70)


module = sys.modules[__name__]
del module.__dict__["__doc__"]
module.__class__ = Module
