"""What looks like functions are classes, one of them without any instances."""


class softmax:
    def __new__(cls, x, axis=-1):
        self = super().__new__(cls)
        self.x, self.axis = x, axis
        return self.shares

    @property
    def raised(self):
        return np.exp(self.x - self.x.max(self.axis, keepdims=True))

    @property
    def shares(self):
        raised = self.raised
        return raised / raised.sum(self.axis, keepdims=True)


class Callable_(type):
    def __call__(cls, *args, **kwargs):
        return cls.answer(*args, **kwargs)


class perplexity(metaclass=Callable_):
    @staticmethod
    def answer(nll, n):
        return np.float32(np.exp(np.sum(nll) / np.sum(n)))


class decode(str):
    def __new__(cls, ids, vocab):
        names = dict(zip(vocab.values(), vocab))
        return super().__new__(cls, "".join(names[i] for i in ids))
