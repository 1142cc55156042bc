// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One step on its way to become one of the navigator's.
struct SageRow {
    var step: Step
    var own: SageStep
    let place: JSONPlace
    /// Where it is left to, in order; the first that holds decides.
    var exits: [SageExit] = []
    /// Conditions under which it is not shown; its exits are followed then.
    var hides: [any Condition] = []
    /// Conditions under which something else is shown in its place.
    var replacements: [SageExit] = []
}

/// A way out of a step or past it.
struct SageExit {
    /// Nil = always.
    let when: (any Condition)?
    /// An identifier, or a reserved word.
    let to: String
    let place: JSONPlace
    /// The sections in which the identifier is looked for, the innermost first.
    let sections: [String]
}
