"""The student counts an output map of its own."""


def count(model, context):
    d, kv = model.d_model, model.d_model * model.n_kv_heads // model.n_heads
    layer = d * d + kv * d + kv * d + d * d + 3 * model.d_ff * d
    parameters = model.vocab * d + model.n_layers * (layer + d + d) + d + model.vocab * d
    flops = model.n_layers * 2 * layer + model.n_layers * context * 4 * d + 2 * d * model.vocab
    return parameters, flops
