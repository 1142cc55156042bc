// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// Where `--payloads` of `studyd simulate` writes the requests that a device would send: `000001.body` and
/// `000001.json` with method, address and headers.
struct PayloadFolder {
    private let path: String
    private var count = 0

    init(_ path: String) throws {
        self.path = path
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw FileError.last(path) }
    }

    mutating func write(_ request: WireRequest) throws {
        count += 1
        let name = path + "/" + count.padded(6)
        let headers = request.headers.map { JSONText.Member($0.name, .string($0.value)) }
        let head = JSONText.object([
            .init("method", .string(request.method)), .init("url", .string(request.url)),
            .init("headers", .object(headers)),
        ])
        try AtomicFile.write(request.body, toNamed: name + ".body")
        try AtomicFile.write(Array((head.text + "\n").utf8), toNamed: name + ".json")
    }
}
