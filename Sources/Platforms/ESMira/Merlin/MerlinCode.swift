// SPDX-License-Identifier: Apache-2.0

/// What the machine does in one step of a script in Merlin, ESMira's language. Values lie on a
/// stack; `operand` and `count` are those of the step.
enum MerlinOperation: UInt8 {
    /// Pushes the constant `operand`.
    case constant
    /// Pushes, or pops into, the variable of the reference `operand` (an index in `MerlinAssembler.references`).
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

/// A value while a script runs, trivial to copy: texts, lists and objects are indices in `MerlinHeap`,
/// functions in `MerlinAssembler.functions`.
enum MerlinCell {
    /// A variable that is not yet assigned; never an operand.
    case absent
    case none
    case number(Double)
    case text(Int32)
    case list(Int32)
    case object(Int32)
    case function(Int32)

    static func truth(_ value: Bool) -> MerlinCell { .number(value ? 1 : 0) }
}

/// A function of the script.
struct MerlinFunction {
    /// Index of its first step.
    var entry = 0
    /// Index of its outermost scope.
    var scope = 0
    /// How many slots its frame has on the stack.
    var slots = 0
    /// Slots of its parameters.
    var parameters: [Int] = []
    /// The reference by which it is defined.
    var reference: Int32 = 0
}

/// A block's, a loop's or a function's own variables: slots of the frame, the first of which holds
/// the value of its last expression.
struct MerlinScope {
    /// Index of the scope around it; -1 = none.
    var parent: Int
    /// Index of the function that it belongs to.
    var function: Int
    /// Slots of its variables, counted from `base`.
    var names: [String: Int] = [:]
    /// How many slots it has, the value's included.
    var count = 1
    /// Its first slot in the frame.
    var base = 0
    /// The steps during which it is open.
    var steps = 0..<0
}

/// A name as seen from one scope: the slots where its value may be, the innermost first. A negative
/// one, `~slot`, is in the script's own frame.
struct MerlinReference {
    let scope: Int
    let name: String
    var slots: [Int32] = []
}
