// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The python server of `tls_server.py`, with a certificate made for it. Ends with its owner.
final class TLSServer {
    private let folder: String
    private let server: LabServer
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "tls_server.py"
    ).path

    static let isAvailable: Bool = {
        let found = ["/usr/bin/openssl", "/usr/local/bin/openssl"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        if !found { print("SKIPPED: openssl is not installed") }
        return found && LabServer.isAvailable
    }()

    init() throws {
        folder = try UploadFixture.folder()
        server = try LabServer(command: ["python3", Self.script, folder])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// In PEM, as is its key, which only the owner can read. It is the one that clients may show.
    var certificate: String { folder + "/cert.pem" }
    var key: String { folder + "/key.pem" }

    func url(_ path: String) -> String { "https://127.0.0.1:\(server.port)\(path)" }
}
