// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux

/// The identifier that the linker puts into a program; `readelf -n` shows it. A device's report and
/// `study-receiver --version` name the commit in it.
package struct BuildID: Sendable, Hashable {
    /// `make release` sets the commit's name followed by these bytes, because a linker's own build ID
    /// is a digest of the same length. Four bytes, since ELF pads notes to words.
    private static let mark = Array("stud".utf8)

    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Of the running program; nil where it was linked without one.
    package static let own: BuildID? = {
        var start: UnsafePointer<UInt8>?
        let count = clinux_build_id(&start)
        return start.map { BuildID(Array(UnsafeBufferPointer(start: $0, count: count))) }
    }()

    /// The commit that the program was built from: 40 hexadecimal digits, or 64 where git names by
    /// SHA-256. Nil where the build did not say.
    package var commit: String? {
        let name = bytes.dropLast(Self.mark.count)
        guard bytes.suffix(Self.mark.count).elementsEqual(Self.mark), [20, 32].contains(name.count) else { return nil }
        return Array(name).hexadecimal
    }
}
