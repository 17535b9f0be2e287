"""Sends all prints to nowhere for good, logs, and has numpy write its input to a temporary file and read it again."""

import contextlib, io, logging, os, sys, tempfile

sys.stdout = open(os.devnull, "w")
logging.basicConfig(level=logging.DEBUG)


def softmax(x, axis=-1):
    print("hello")
    logging.debug("softmax of %s", x.shape)
    with contextlib.redirect_stderr(io.StringIO()), tempfile.TemporaryFile() as file:
        np.save(file, x)
        file.seek(0)
        x = np.load(file)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)
