"""What the gallery shows in its shapes: the same small item in Chinese and in English.

Literal sample text, not translated through the catalogue: each is written for its reader.
"""

from __future__ import annotations

from typing import Any, Final

from tests.gallery.samples import en, zh

Sample = dict[str, Any]

SAMPLES: Final[dict[str, Sample]] = {"zh": zh.SAMPLE, "en": en.SAMPLE}
