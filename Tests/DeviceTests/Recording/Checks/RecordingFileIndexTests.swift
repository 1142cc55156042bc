// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Testing

@testable import Base
@testable import Device

/// Files of thirty devices in one folder, each under the same name of its device and equally long.
@Suite struct RecordingFileIndexTests {
    private static let devices = 30
    private let bench = Workbench()
    private let descriptions: [RecordingDescription]

    init() throws {
        bench.hasDamagedDescriptions = true
        descriptions = try (0..<Self.devices).map { device in
            let content = [UInt8](repeating: UInt8(device), count: 1_000)
            var description = RecordingDescription(
                fileName: "000001-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
            (description.number, description.kind, description.state) = (1, "accelerometer", .sealed)
            (description.bytes, description.sha256) = (content.count, try FileDigest.sha256(content))
            return description
        }
    }

    /// The file of a device came as this number.
    private func store(_ device: Int, as number: Int) throws {
        try bench.write("\(number)-000001-accelerometer.cwa", [UInt8](repeating: UInt8(device), count: 1_000))
    }

    private func path(_ number: Int, _ ending: String = "cwa") -> String {
        "\(bench.path)/\(number)-000001-accelerometer.\(ending)"
    }

    /// The kernel says which files are read (inotify(7), IN_ACCESS): that which came before the description.
    @Test func ofThirtyFilesOfANameOneIsRead() throws {
        for device in 0..<Self.devices { try store(device, as: 2 * device + 1) }
        let index = RecordingFileIndex()
        for (device, description) in descriptions.enumerated() {
            let reads = try FolderReads(bench.path)
            #expect(index.file(of: description, at: path(2 * device + 2, "json")) == path(2 * device + 1))
            #expect(reads.names == ["\(2 * device + 1)-000001-accelerometer.cwa"])
        }
    }

    /// What has the digest comes before what is nearer, and what is nearest where none has it. What is of
    /// another length need not be read.
    @Test func theDigestComesBeforeTheNumber() throws {
        try store(0, as: 1)
        try store(1, as: 5)
        try bench.write("4-000001-accelerometer.cwa", [1])
        let index = RecordingFileIndex()
        let reads = try FolderReads(bench.path)
        #expect(index.file(of: descriptions[0], at: path(6, "json")) == path(1))
        #expect(reads.names == ["1-000001-accelerometer.cwa", "5-000001-accelerometer.cwa"])
        #expect(index.file(of: descriptions[2], at: path(6, "json")) == path(5))
        #expect(index.file(of: descriptions[2], at: path(2, "json")) == path(1))
    }
}

/// Whose bytes are read in a folder from now on.
private final class FolderReads {
    private let descriptor: CInt

    init(_ path: String) throws {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        try #require(inotify_add_watch(descriptor, path, UInt32(IN_ACCESS)) >= 0)
    }

    deinit { close(descriptor) }

    /// Of the files, each once; all that is known by now.
    var names: Set<String> {
        var (names, bytes): (Set<String>, [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            var place = 0
            // struct inotify_event: 12 bytes, the length of the name, the name with zeros behind it.
            while place + 16 <= count {
                let length = bytes[place + 12..<place + 16].reversed().reduce(0) { $0 << 8 | Int($1) }
                let name = bytes[place + 16..<place + 16 + length].prefix { $0 != 0 }
                if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                place += 16 + length
            }
        }
        return names
    }
}
