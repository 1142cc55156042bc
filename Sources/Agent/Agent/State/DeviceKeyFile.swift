// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The file of the device's key, beside the store and outside the log. Until the receiver knows the key, a
/// second line has the enrolment code by which the receiver will accept it. `Enroller` calls `prepare`; reports,
/// uploads and `DayRecordService` read the key. Blocks on the disk.
package struct DeviceKeyFile: Sendable {
    private let path: String

    package init(_ folder: StateFolder) { path = folder.deviceKey }

    /// The key; nil where there is none, or it cannot be read.
    func read() -> DeviceKey? { lines.first.flatMap(DeviceKey.init) }

    func readCode() -> EnrolmentCode? { lines.dropFirst().first.flatMap(EnrolmentCode.init) }

    private var lines: [String] {
        ((try? BoundedFile.text(path)) ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(String.init)
    }

    /// For an enrolment: the key that was given, else the one that can be read, else a new one, which replaces an
    /// unreadable file.
    @discardableResult
    func prepare(_ given: DeviceKey? = nil, code: EnrolmentCode? = nil) throws -> DeviceKey {
        if given == nil, code == nil, let known = read() { return known }
        let key = given ?? read() ?? DeviceKey()
        try write(key, code)
        return key
    }

    /// Makes and returns a new key where the file is gone; nil, and nothing done, where there is a file, even
    /// an unreadable one.
    func replaceLost() throws -> DeviceKey? {
        guard access(path, F_OK) != 0, errno == ENOENT else { return nil }
        return try prepare()
    }

    /// `LabConnection` calls it when the receiver has accepted the key.
    func forgetCode() throws {
        guard readCode() != nil, let key = read() else { return }
        try write(key, nil)
    }

    private func write(_ key: DeviceKey, _ code: EnrolmentCode?) throws {
        let lines = [key.text, code?.text].compactMap(\.self).map { $0 + "\n" }
        try AtomicFile.write(Array(lines.joined().utf8), to: path, mode: 0o600)
    }

    func remove() { unlink(path) }
}
