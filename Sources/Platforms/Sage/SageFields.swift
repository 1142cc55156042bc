// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension JSONPlace {
    /// A number that is written as one, not as a text; nil for anything else.
    var writtenNumber: Double? { if case .number = node.content { number } else { nil } }
}

extension Findings {
    /// As `JSONPlace.writtenNumber`; anything else is noted.
    mutating func writtenNumber(at place: JSONPlace) -> Double? {
        if place.writtenNumber == nil { expected("a number", at: place) }
        return place.writtenNumber
    }
}
