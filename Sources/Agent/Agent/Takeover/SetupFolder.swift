// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The folder that somebody put on the boot partition or a stick to set a device up (`FolderTakeover`): the files that
/// `setup.toml` names, and those beside the folder. Blocks on the disk.
struct SetupFolder: Sendable {
    let path: String

    /// Where the folder lies, and beside it `RESULT.txt`, `network-config` and `config.txt`.
    var parent: String { AtomicFile.folder(of: path) }
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var result: String { parent + "/RESULT.txt" }

    /// The bytes of `setup.toml`; nil where the file is not there.
    func setupBytes() throws(TakeoverMistake) -> [UInt8]? {
        let path = self.path + "/" + SetupFile.name
        guard access(path, F_OK) == 0 else { return nil }
        do { return try BoundedFile.read(path, limit: ConfigSource.maximumSize) } catch {
            throw TakeoverMistake(.badSetup, Explanation(error))
        }
    }

    func text(of name: String) throws -> String { try BoundedFile.text(path + "/" + name) }

    /// Of a file beside the folder; nil where it cannot be read.
    func text(beside name: String) -> String? { try? BoundedFile.text(parent + "/" + name) }

    /// The configuration that came in the folder; nil where none did.
    func configuration(_ setup: SetupFile) throws -> AgentConfiguration? {
        guard let name = setup.configuration else { return nil }
        return try AgentConfiguration(parsing: text(of: name), file: name)
    }

    func configurationFolder(_ setup: SetupFile) -> String {
        AtomicFile.folder(of: path + "/" + (setup.configuration ?? ""))
    }

    func language(of setup: SetupFile) -> String? {
        setup.language ?? (try? configuration(setup))?.speech.language
    }

    func request(_ setup: SetupFile) throws -> EnrolmentRequest {
        var request = EnrolmentRequest(source: setup.isStudyAddress ? setup.study : path + "/" + setup.study)
        request.participant = setup.participant
        request.arguments = setup.arguments
        request.code = setup.code?.text
        request.holdTimes = setup.holdTimes
        request.consent = try setup.consent.map { .init(text: try text(of: $0), file: $0) }
        return request
    }
}
