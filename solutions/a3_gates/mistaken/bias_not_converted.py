"""Matrices change their sign where they make z."""


def convert_gru(params):
    def turned(name, value):
        return value * (-1.0 if name == "W_z" else 1.0)

    return {name: turned(name, value) for name, value in params.items()}
