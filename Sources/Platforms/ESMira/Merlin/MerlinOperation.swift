// SPDX-License-Identifier: Apache-2.0

/// What `MerlinMachine` does in one step of a script in Merlin, ESMira's language; `MerlinCompiler` makes the
/// steps. Values lie on a stack; `operand` and `count` are those of the step.
enum MerlinOperation: UInt8 {
    /// Pushes the constant `operand`.
    case constant
    /// Pushes, or pops into, the variable of the reference `operand` (an index in `MerlinCode.references`).
    case load, store
    /// These act on the scope `operand`: `enter` forgets its variables, `setResult` pops into its value,
    /// `result` pushes its value, `define` pops into its first variable, which is a loop's.
    case enter, setResult, result, define
    case add, subtract, multiply, divide, modulo, concat, equal, notEqual, less, lessEqual, greater, greaterEqual
    /// Leave the left value on the stack. If it decides the result and is not a list, they jump by
    /// `operand`, past the right value.
    case or, and
    /// After the right value: if the left one is a list, both are combined element by element, else
    /// the right value remains.
    case combineOr, combineAnd
    case minus, not
    /// Jump by `operand` steps; `jumpIfFalse` pops a value, and jumps only if that is false.
    case jump, jumpIfFalse
    /// Makes a list of `operand` values.
    case list
    case object
    /// Fail unless the value on top, which stays, is a list, or an object.
    case checkList, checkObject
    /// Pop index and list and push the element; pop value, index and list.
    case element, setElement
    /// Pop an object and push its field; pop value and object. The name of the field is `operand`.
    case field, setField
    /// Turns the value on top into a number, or fails; `operand` says which of the range: 0 start, 1 end, 2 step.
    case rangeBound
    /// Makes a list from `count` bounds.
    case range
    /// With `count` arguments: the function `operand` that every script has, or that of the
    /// reference `operand`.
    case native, call
    /// Fails unless the reference `operand` is a function.
    case checkFunction
    /// The function `operand` becomes the value of its own reference.
    case defineFunction
    case `return`
    /// Between them, a store to something that already has a value does nothing.
    case initBegin, initEnd
    /// Pushes the position in the list on top, 0.
    case forBegin
    /// Pushes the next element; at the end pops list and position, and jumps by `operand`.
    case forNext
    case halt
}

/// A step: what to do, and with what. Jumps are relative to the next step.
struct MerlinStep {
    var operation: MerlinOperation
    /// Arguments of a call, or bounds of a range.
    var count: UInt8 = 0
    var operand: Int32 = 0
}
