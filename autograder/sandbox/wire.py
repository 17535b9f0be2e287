"""Where courses written for 0.1.0 import `Code` and `Tensor` from; new ones import them from `course.spec`."""

from autograder.course.spec import Code, Tensor

__all__ = ["Code", "Tensor"]
