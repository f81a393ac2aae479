"""Groups of arrays in kernels: a kernel receives a named tuple by its address in memory.

numba passes a named tuple by value: seven words for each array, written out wherever a variable
names the group. Here an array is its address and its shape. A group is the words of all its fields
in turn, those of inner groups in place, and a kernel receives a single address.

The caller of the kernel owns the arrays: nothing here counts references. The words are written
before the kernel begins, and never change afterwards. The compiler knows that, so it may read a
word again instead of keeping it in a register.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

T = TypeVar("T")

types: Any = numba.types

WORD = ir.IntType(64)
FAILED = ir.IntType(1)
OBJECT = cgutils.voidptr_t

# The words of an array in a group: its address, then its shape.
SHAPE = 1

# The words of an array in numba's own description of it. An array has at most 64 axes.
_ITEM_SIZE = 3
_ADDRESS = 4
_EXTENTS = 5
_MOST_WORDS = _EXTENTS + 2 * 64


class GroupType(types.Type):  # type: ignore[misc]
    """The type of a group that a kernel receives by its address."""

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        group = fields.instance_class
        digest = hashlib.sha256(f"{group.__module__} {fields.name}".encode()).hexdigest()[:8]
        super().__init__(f"{group.__name__}_{digest}")

    @property
    def key(self) -> Any:
        """Types with equal keys are the same."""
        return self.fields

    def at(self, name: str) -> tuple[int, Any]:
        """The first word of a field, and its type."""
        number = self.fields.fields.index(name)
        first_word = sum(map(words_of, self.fields.types[:number]))
        return first_word, self.fields.types[number]


def by_address(named: type[T]) -> type[T]:
    """Mark a named tuple: kernels receive it by its address. Kernels cannot make one."""
    typeof_impl.register(named)(_type_of)
    return named


def _type_of(value: Any, context: Any) -> Any:
    fields = [typeof_impl(field, context) for field in value]
    if None in fields:
        return None
    return GroupType(types.BaseTuple.from_types(fields, type(value)))


def words_of(kind: Any) -> int:
    if isinstance(kind, GroupType):
        return sum(map(words_of, kind.fields.types))
    if isinstance(kind, types.BaseTuple):
        raise TypeError(f"{kind} is within a group that is given by address, so it must be, too")
    if isinstance(kind, types.Array):
        return 1 + _extents_of(kind)
    return 1


def _extents_of(array: Any) -> int:
    """The number of words of a shape; strides follow if rows are not contiguous."""
    if array.layout == "C":
        return int(array.ndim)
    return int(2 * array.ndim)


@register_model(GroupType)
class _Address(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = GroupType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        if name not in kind.fields.fields:
            return None
        _, field = kind.at(name)
        return field


@lower_getattr_generic(GroupType)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Any, words: Any, name: str) -> Any:
    first, field = kind.at(name)
    word = _word(builder, words, first)
    if isinstance(field, GroupType):
        return word
    if isinstance(field, types.Array):
        return impl_ret_borrowed(context, builder, field, _array(context, builder, field, word))
    return _read(builder, word, context.get_value_type(field))


def _word(builder: Any, words: Any, number: int) -> Any:
    if number == 0:
        return words
    return builder.gep(words, [WORD(number)], inbounds=True)


def _read(builder: Any, word: Any, kind: Any) -> Any:
    """A word that does not change while a kernel runs."""
    value = builder.load(builder.bitcast(word, kind.as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _array(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    """numba's description of an array; items are contiguous unless strides are given."""
    described = context.get_value_type(kind)
    at = context.data_model_manager[kind].get_field_position
    item_size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    extents = []
    for number in range(_extents_of(kind)):
        extents.append(_read(builder, _word(builder, word, SHAPE + number), WORD))
    shape = extents[: kind.ndim]
    strides = extents[kind.ndim :]
    data = _read(builder, word, described.elements[at("data")])
    known = [None] * len(described.elements)  # nobody counts references to it
    known[at("itemsize")] = item_size
    array = builder.insert_value(ir.Constant(described, known), data, at("data"))
    items = shape[0]
    for extent in shape[1:]:
        items = builder.mul(items, extent, flags=["nsw"])
    array = builder.insert_value(array, items, at("nitems"))
    if not strides:
        strides = _strides_of(builder, shape, item_size)
    for axis in reversed(range(kind.ndim)):
        array = builder.insert_value(array, shape[axis], [at("shape"), axis])
        array = builder.insert_value(array, strides[axis], [at("strides"), axis])
    return array


def _strides_of(builder: Any, shape: list[Any], item_size: int) -> list[Any]:
    strides = [WORD(item_size)]
    for extent in reversed(shape[1:]):
        strides.append(builder.mul(strides[-1], extent, flags=["nsw"]))
    strides.reverse()
    return strides


@unbox(GroupType)  # type: ignore[untyped-decorator]
def _unboxed(kind: Any, value: Any, at: Any) -> Any:
    words = cgutils.alloca_once(at.builder, WORD, size=words_of(kind))
    reader = _reader(at.context, at.builder.module, kind)
    return NativeValue(words, is_error=at.builder.call(reader, [value, words]))


def _reader(context: Any, module: Any, kind: Any) -> Any:
    """A function that writes the words of a Python object of this type.

    It returns true if it cannot.
    """
    name = f"tbgen.read.{kind.name}"
    if name in module.globals:
        return module.globals[name]
    function, builder, api = _function(context, module, name, [OBJECT, WORD.as_pointer()])
    value, words = function.args
    failed: Any = FAILED(0)
    for number, field in enumerate(kind.fields.types):
        first_word, _ = kind.at(kind.fields.fields[number])
        item = api.tuple_getitem(value, number)
        word = _word(builder, words, first_word)
        if isinstance(field, GroupType):
            has_failed = builder.call(_reader(context, module, field), [item, word])
        elif isinstance(field, types.Array):
            item_size = context.get_abi_sizeof(context.get_data_type(field.dtype))
            numbers = [WORD(_extents_of(field)), WORD(item_size)]
            has_failed = builder.call(_array_reader(context, module), [item, word, *numbers])
        else:
            native = api.to_native_value(field, item)
            builder.store(native.value, builder.bitcast(word, native.value.type.as_pointer()))
            has_failed = native.is_error
        failed = builder.or_(failed, has_failed)
    builder.ret(failed)
    return function


def _array_reader(context: Any, module: Any) -> Any:
    """A function that writes the words of a Python array.

    It returns true if that is no array or has items of another size.
    """
    name = "tbgen.read.array"
    if name in module.globals:
        return module.globals[name]
    function, builder, api = _function(
        context, module, name, [OBJECT, WORD.as_pointer(), WORD, WORD]
    )
    value, words, extents, item_size = function.args
    described = cgutils.alloca_once(builder, WORD, size=_MOST_WORDS)
    kind = ir.FunctionType(ir.IntType(32), [OBJECT, OBJECT])
    adapt = cgutils.get_or_insert_function(module, kind, "numba_adapt_ndarray")
    error = builder.call(adapt, [value, builder.bitcast(described, OBJECT)])
    size = builder.load(_word(builder, described, _ITEM_SIZE))
    has_other_items = builder.icmp_unsigned("!=", size, item_size)
    failed = builder.or_(cgutils.is_not_null(builder, error), has_other_items)
    with builder.if_then(failed, likely=False):
        api.err_set_string(
            "PyExc_TypeError",
            "a field of a group is not the array that the kernel was compiled for",
        )
        builder.ret(failed)
    builder.store(builder.load(_word(builder, described, _ADDRESS)), words)
    with cgutils.for_range(builder, extents) as loop:
        extent = builder.load(builder.gep(_word(builder, described, _EXTENTS), [loop.index]))
        builder.store(extent, builder.gep(_word(builder, words, SHAPE), [loop.index]))
    builder.ret(failed)
    return function


def _function(context: Any, module: Any, name: str, takes: list[Any]) -> tuple[Any, Any, Any]:
    """Start a function that numba links into a kernel's Python wrapper."""
    function = ir.Function(module, ir.FunctionType(FAILED, takes), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    return function, builder, context.get_python_api(builder)
