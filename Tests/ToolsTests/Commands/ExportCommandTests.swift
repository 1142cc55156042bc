// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Device
@testable import studyd_tools

@Suite struct ExportCommandTests {
    static let files = [
        "field.csv": "#units µT\ntime,uptime,mag_x\n2026-11-21T09:00:00.000000Z,100.000000,42\n",
        "buttons.csv": """
        #studyd recording=3 measure=buttons
        #units text,text,text,text
        time,uptime,button,edge,meaning,repeats
        2026-11-21T09:00:02.000000Z,102.000000,middle,down,,
        2026-11-21T09:00:02.130000Z,102.130000,middle,up,select,

        """,
        // C2SP's test vectors of age have this identity.
        "key.txt": "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0\n",
    ]

    /// Six seconds at 100 Hz.
    static func record(into folder: String) throws -> String {
        let frame = VectorFrame(values: SIMD8(0, 0, 1000, 0, 0, 0, 0, 0), count: 3, time: .zero, isStamped: false)
        let ring = FrameRing(capacity: 1024, repeating: frame)
        let channels = ["x", "y", "z"].map { Channel(name: "accel_\($0)", unit: .standardGravity, scale: 0.001) }
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring),
            source: SourceDescription(
                kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: channels, nominalRate: 100,
                fullScale: 8),
            origin: RecordingOrigin(study: "s", participant: "p", deviceID: 1, bootID: "b", zone: .utc),
            folder: RecordingFolder(folder))
        for index in 0..<600 {
            var next = frame
            if index % 25 == 24 {
                (next.time, next.isStamped) = (MonotonicTime(seconds: 100 + Double(index) / 100), true)
            }
            ring.push(next)
        }
        let anchor = ClockAnchor(
            monotonic: MonotonicTime(seconds: 100), instant: Instant(seconds: 1_795_251_600), source: .kernel,
            uncertainty: .milliseconds(5))
        return try #require(recorder.stop(at: MonotonicTime(seconds: 106), anchors: [anchor]).first?.path)
    }

    /// A slip of the shell's completion: of the files that are read none is replaced, by whatever name it goes.
    @Test(arguments: [
        (["field.csv", "--to", "csv", "--key", "key.txt"], ["field.csv", "key.txt"]),
        (["buttons.csv", "--to", "bids", "--relative-to", "field.csv"], ["buttons.csv", "field.csv"]),
        (["motion.cwa", "--to", "edf", "--events", "buttons.csv"], ["motion.cwa", "buttons.csv", "link.csv"]),
    ])
    func noFileThatIsReadIsReplaced(words: [String], inputs: [String]) throws {
        let folder = try TemporaryFolder("export")
        defer { folder.remove() }
        for (name, text) in Self.files { try AtomicFile.write(Array(text.utf8), to: "\(folder.path)/\(name)") }
        #expect(link(folder.path + "/buttons.csv", folder.path + "/link.csv") == 0)
        let motion = try Self.record(into: folder.path)
        func path(_ word: String) -> String {
            word == "motion.cwa" ? motion : word.contains(".") ? "\(folder.path)/\(word)" : word
        }
        func export(to output: String) throws {
            try #require(
                try ExportCommand.parseAsRoot(words.map(path) + ["-o", path(output)]) as? ExportCommand
            ).run()
        }
        for input in inputs {
            let before = try BoundedFile.read(path(input), limit: 1 << 20)
            #expect("\(input)") { try export(to: input) } throws: { "\($0)".contains("use another file with -o") }
            #expect(try BoundedFile.read(path(input), limit: 1 << 20) == before)
        }
        try export(to: "another.out")
        #expect(access(folder.path + "/another.out", F_OK) == 0)
    }
}
