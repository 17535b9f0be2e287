"""Raises exceptions whose text and type's name are no strings; a GRADER_ERROR would show that it worked."""


class Meta(type):
    __name__ = property(lambda cls: [1, 2, 3])


class Bad(Exception, metaclass=Meta):
    def __str__(self):
        return Text("text")


class Text(str):
    def __getitem__(self, place):
        return {"not": "text"}


def scale(x, factor):
    raise Bad
