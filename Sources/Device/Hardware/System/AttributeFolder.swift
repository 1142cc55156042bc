// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// Attributes of a device as the kernel shows them: small text files in a folder of sysfs.
///
/// A folder of plain files with the same names works too: a new value overwrites the old one
/// in place and only then cuts off what is left of it, so that the first line is a whole value
/// at every moment.
package struct AttributeFolder: Sendable, Hashable {
    /// The folder, for instance `/sys/class/leds/prompt`.
    package let path: String

    package init(path: String) { self.path = path }

    /// The first line of an attribute, at most a page.
    package func read(_ name: String) throws(SystemError) -> String {
        let file = try Descriptor(opening: "\(path)/\(name)", flags: O_RDONLY)
        let bytes = try file.read(upTo: 4096) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    package func write(_ name: String, _ value: String) throws(SystemError) {
        let file = try Descriptor(opening: "\(path)/\(name)", flags: O_WRONLY)
        try file.write(Array("\(value)\n".utf8))
        _ = ftruncate(file.rawValue, off_t(value.utf8.count + 1))
    }

    package func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }
}
