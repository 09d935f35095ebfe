"""A copy of a model file with HLG settings in its metadata."""
import io
from contextlib import redirect_stderr

from gguf import GGUFReader, GGUFValueType, GGUFWriter
from gguf.scripts.gguf_new_metadata import MetadataDetails, copy_with_new_metadata

from knobs import TABLE


def detail(value):
    kind = {bool: GGUFValueType.BOOL, str: GGUFValueType.STRING, float: GGUFValueType.FLOAT32}
    return MetadataDetails(kind[type(value)], value)


def copy_with_settings(source, target, settings):
    """settings: {key: bool, str or float}."""
    reader = GGUFReader(source)
    arch = reader.get_field("general.architecture").contents()
    added = {TABLE[key]["gguf"]: detail(value) for key, value in settings.items()}
    with redirect_stderr(io.StringIO()):  # a progress bar
        copy_with_new_metadata(reader, GGUFWriter(target, arch), added, [])
