// SPDX-License-Identifier: Apache-2.0

/// What the machine does in one step. Operands lie on a stack.
enum MerlinOperation: UInt8 {
    case constant, load, store, enter, setResult, result
    case add, subtract, multiply, divide, modulo, concat, equal, notEqual, less, lessEqual, greater, greaterEqual
    case or, and, combineOr, combineAnd
    case minus, not
    case jump, jumpIfFalse
    case list, object, checkList, element, setElement, field, checkObject, setField
    case rangeBound, range
    case native, checkFunction, call, defineFunction, `return`
    case initBegin, initEnd
    case forBegin, forNext, define
    case halt
}

/// A step: what to do, and with what. Jumps are relative to the next step.
struct MerlinStep {
    var operation: MerlinOperation
    var count: UInt8 = 0
    var operand: Int32 = 0
}

/// A value while a script runs: trivial to copy; texts, lists and objects are numbers in the
/// machine's store.
enum MerlinCell {
    /// Of a variable: not yet assigned. Never on the stack.
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
    var entry = 0
    var scope = 0
    var slots = 0
    var parameters: [Int] = []
    /// The reference by which it is defined.
    var reference: Int32 = 0
}

/// A block's, a loop's or a function's own variables: places of the frame, the first of which holds
/// the value of its last expression.
struct MerlinScope {
    var parent: Int
    var function: Int
    var names: [String: Int] = [:]
    var count = 1
    var base = 0
    /// The steps during which it is open.
    var steps = 0..<0
}

/// A name as seen from one scope: the places where its value may be, the innermost first. Negative
/// ones are places of the script's own frame.
struct MerlinReference {
    let scope: Int
    let name: String
    var places: [Int32] = []
}
