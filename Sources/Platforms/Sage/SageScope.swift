// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The sections around a step, and the buttons that they hide; `SageTaskReader` passes it down to the readers
/// of steps.
struct SageScope: Sendable {
    /// Identifiers of the sections around it, the outermost first.
    var sections: [String] = []
    var hidesSkip: Bool
    /// The steps cannot be gone back from.
    var isOneWay: Bool

    /// The hand that the innermost section named `left` or `right` is for.
    var hand: String? { Self.hand(of: sections) }

    static func hand(of sections: [String]) -> String? { sections.last { $0 == "left" || $0 == "right" } }

    /// The scope of a step or section that may hide further buttons.
    func within(_ place: JSONPlace) -> SageScope {
        var scope = self
        scope.hidesSkip = hidesSkip || SageTaskReader.hides("skip", place)
        scope.isOneWay = isOneWay || SageTaskReader.hides("goBackward", place)
        return scope
    }

    func entering(_ section: String) -> SageScope {
        var scope = self
        scope.sections.append(section)
        return scope
    }
}
