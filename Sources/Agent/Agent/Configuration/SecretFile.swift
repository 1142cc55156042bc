// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Reads a password, token or key that `studyd.toml` or a study's platform names: a systemd credential by its name,
/// or a file that only its owner can read. Never printed or logged.
enum SecretFile {
    /// The first line of it; throws where it cannot be read, or where others can.
    static func read(_ credential: String) throws -> String {
        String(try BoundedFile.text(path(credential)).prefix { !$0.isNewline })
    }

    /// Where it lies; throws where it cannot be found, or others can read it.
    static func path(_ credential: String) throws -> String {
        let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        let path = credential.hasPrefix("/") ? credential : "\(folder ?? ".")/\(credential)"
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError.last(path) }
        guard status.st_mode & 0o077 == 0 || folder != nil && !credential.hasPrefix("/") else {
            throw FileError(path: path, message: "holds a secret but is readable by others", remedy: "chmod 600 it")
        }
        return path
    }
}
