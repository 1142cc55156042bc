// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Where the upstream protocols lie, beside the project.
package enum Fixture {
    package static let demo = path("schema/upstream-demo_protocol.json")

    /// The nearest `shared/fixtures` beside the package or above it.
    package static func path(_ name: String) -> String {
        var folders = #filePath.split(separator: "/").dropLast(3)
        while !folders.isEmpty {
            folders.removeLast()
            let candidate = "/" + (folders + ["shared", "fixtures"]).joined(separator: "/") + "/" + name
            if read(candidate) != nil { return candidate }
        }
        return name
    }

    package static var isThere: Bool { read(demo) != nil }

    /// The bytes of a file, nil where there is none.
    package static func read(_ path: String) -> [UInt8]? { FileBytes.read(path) }
}

/// A repeatable stand-in for SHA-256: mixes every byte.
package func testDigest(_ bytes: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var generator = SplitMix64(seed: state)
    return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
}
