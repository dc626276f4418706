"""The programming interface of prompts, batches, candidates and the items that are made from them."""
