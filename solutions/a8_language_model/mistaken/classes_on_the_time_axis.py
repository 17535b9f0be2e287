def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    return criterion(logits, targets)
