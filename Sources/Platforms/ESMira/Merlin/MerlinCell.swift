// SPDX-License-Identifier: Apache-2.0

/// A value on the stack of `MerlinMachine` while a script runs, trivial to copy: texts, lists and objects are
/// indices in `MerlinHeap`, functions in `MerlinCode.functions`.
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
