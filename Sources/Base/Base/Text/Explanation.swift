// SPDX-License-Identifier: Apache-2.0

/// What went wrong, for a person, in fields, so that no text has to be cut apart again. Every `ExplainedError`
/// makes one; commands, `studyd check` and the lab print it.
///
/// Plain words without a dot at the end; all messages are printed from these fields.
package struct Explanation: Codable, Sendable, Hashable, CustomStringConvertible {
    /// The file, device, key or server it is about; nil where the cause names it.
    package let place: String?
    package let cause: String
    /// What to do about it; nil where that is unknown.
    package let remedy: String?

    package init(place: String? = nil, cause: String, remedy: String? = nil) {
        (self.place, self.cause, self.remedy) = (place, cause, remedy)
    }

    /// What that error says of itself; one that has no parts is all cause.
    package init(_ error: any Error) {
        self = (error as? any ExplainedError)?.explanation ?? Explanation(cause: "\(error)")
    }

    /// The same with the place that surrounds its own put first: `outer: place`.
    package func within(_ outer: String) -> Explanation {
        Explanation(place: place.map { outer + ": " + $0 } ?? outer, cause: cause, remedy: remedy)
    }

    /// Remedies one after the other; nil where there is none.
    package static func remedies(_ all: String?...) -> String? {
        let known = all.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: "; ")
    }

    /// What is wrong and where, without what to do: `place: cause`.
    package var finding: String { (place.map { $0 + ": " } ?? "") + cause }
    /// `place: cause; remedy`, without what is not known. Below a list, which has many lines, the
    /// remedy has its own line.
    package var description: String { finding + (remedy.map { (cause.utf8.contains(10) ? "\n" : "; ") + $0 } ?? "") }
}

/// An error that explains itself to the person who has to put it right.
package protocol ExplainedError: Error, CustomStringConvertible {
    var explanation: Explanation { get }
}

extension ExplainedError {
    package var description: String { explanation.description }
}
