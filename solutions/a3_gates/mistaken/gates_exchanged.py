"""What one convention calls z the other one calls r."""


def convert_gru(params):
    other = str.maketrans("zr", "rz")
    return {name.translate(other): array.copy() for name, array in params.items()}
