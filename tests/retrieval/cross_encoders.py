"""A real cross-encoder, tiny and untrained: the class, the files and the arithmetic are those of a published one."""

from __future__ import annotations

from pathlib import Path

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] where is the timeout proxy redirect def return none section guide".split()


def tiny_cross_encoder(folder: Path, outputs: int = 1) -> Path:
    """A BERT of two layers with random weights, always the same, saved where sentence-transformers finds it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    letters = [piece for letter in "abcdefghijklmnopqrstuvwxyz0123456789" for piece in (letter, f"##{letter}")]
    vocabulary.write_text("\n".join([*WORDS, *letters]) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab_file=str(vocabulary))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        num_labels=outputs,
        initializer_range=0.5,  # the usual 0.02 would make all scores nearly equal
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
