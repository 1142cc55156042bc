// SPDX-License-Identifier: Apache-2.0
import Base

/// One platform's way of writing studies down; `PlatformCatalog` reads a study by it.
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
