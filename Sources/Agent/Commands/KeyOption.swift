// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SystemKit

/// `--key FILE` of commands that read recordings: `studyd recordings`, `studyd-tools export`, `features` and
/// `plot`.
package struct KeyOption: ParsableArguments {
    @Option(
        name: .long, help: "Open sealed recordings with this identity file of age (age-keygen -o FILE).",
        completion: .file())
    package var key: String?

    package init() {}

    /// The keys in the file of `--key`; empty without the option.
    package func identities() throws -> [AgeIdentity] { try key.map { try Self.identities($0) } ?? [] }

    /// The keys in the file `key`.
    package static func identities(_ key: String) throws -> [AgeIdentity] {
        do { return try AgeIdentity.all(in: BoundedFile.text(key)) } catch let error as AgeKeyError {
            throw FileError(path: key, message: error.explanation.cause, remedy: error.explanation.remedy)
        } catch let error as FileError {
            throw error.reading("the key")
        }
    }
}
