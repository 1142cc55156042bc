// SPDX-License-Identifier: Apache-2.0
import Base

/// One platform's way of writing studies down.
package protocol StudyReader: Sendable {
    /// Whether these files look like this platform's; says nothing about whether they are right.
    func recognises(_ source: StudySource) -> Bool
    /// Reads and validates; throws every problem found.
    func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol
    /// The choices with every default written out, so that a study that is kept is read the same by
    /// a later program.
    func completed(_ options: StudyOptions) -> StudyOptions
    /// The names of further files that this one needs and that lie beside it, without
    /// folders before them.
    func companions(of file: StudySource.File) -> Set<String>
}

extension StudyReader {
    package func companions(of file: StudySource.File) -> Set<String> { [] }

    package func completed(_ options: StudyOptions) -> StudyOptions { options }
}

/// A study as it was found: one file, or the files of a folder.
package struct StudySource: Sendable {
    package struct File: Sendable {
        /// Its path within the folder.
        package let name: String
        /// The contents, unchanged; readers bound their size and depth.
        package let bytes: [UInt8]
        package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }
    /// At least one.
    package let files: [File]
    /// What the reader chooses where the platform's own apps differ.
    package var options = StudyOptions()

    package init(files: [File]) { self.files = files }
    /// A single file or an answer of a server.
    package init(_ bytes: [UInt8], name: String = "study.json") { files = [File(name: name, bytes: bytes)] }
}

/// Choices where a platform's own apps differ from each other, or from what its documents say. Each
/// has a name and a JSON value, and is kept with the study; a platform declares its names, and what
/// they mean, in an extension.
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
