// SPDX-License-Identifier: Apache-2.0
import Base

/// Choices where a platform's own apps differ from each other, or from what its documents say. Each has a name
/// and a JSON value, and is kept with the study; a platform declares its names, and what they mean, in an
/// extension. Its `StudyReader` reads the study by them.
package struct StudyOptions: Sendable, Hashable {
    /// In the order in which they were made.
    package private(set) var members: [JSONText.Member] = []

    package init() {}

    package var isEmpty: Bool { members.isEmpty }

    package subscript(name: String) -> JSONText? {
        get { members.first { $0.key == name }?.value }
        set {
            let place = members.firstIndex { $0.key == name }
            switch (place, newValue) {
            case (let place?, let value?): members[place] = .init(name, value)
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(.init(name, value))
            case (nil, nil): break
            }
        }
    }

    package subscript(text name: String) -> String? {
        get { if case .string(let text)? = self[name] { text } else { nil } }
        set { self[name] = newValue.map(JSONText.string) }
    }

    package subscript(flag name: String) -> Bool? {
        get { if case .boolean(let value)? = self[name] { value } else { nil } }
        set { self[name] = newValue.map(JSONText.boolean) }
    }

    package subscript(integer name: String) -> Int? {
        get { if case .spelled(let text)? = self[name] { Int(text) } else { nil } }
        set { self[name] = newValue.map { .integer(Int64($0)) } }
    }
}
