// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct SoundProgramTests {
    /// The first bytes of files that ffmpeg 5.1 and lame 3.100 wrote, and of what is no sound.
    @Test(
        arguments: [
            ([0, 0, 0, 0x1C, 0x66, 0x74, 0x79, 0x70, 0x4D, 0x34, 0x41, 0x20], SoundContainer.mpeg4),
            ([0xFF, 0xF1, 0x50, 0x80, 0x2E, 0x7F, 0xFC], .adts), ([0xFF, 0xF9, 0x50, 0x80], .adts),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86, 0x81], .matroska), ([0xFF, 0xFB, 0x90, 0x64], nil),
            ([0xFF, 0xF3, 0x40, 0xC4], nil), (Array("ID3".utf8), nil), (Array("OggS".utf8), nil),
            (Array("RIFF....WAVE".utf8), nil), (Array("ftyp".utf8), nil), ([0xFF], nil), ([], nil),
        ] as [([UInt8], SoundContainer?)])
    func theFirstBytesTellTheContainer(_ bytes: [UInt8], _ container: SoundContainer?) {
        #expect(SoundContainer(bytes) == container)
    }

    @Test(arguments: [
        (SoundContainer.mpeg4, "apt install ffmpeg or faad"), (.adts, "apt install ffmpeg or faad"),
        (.matroska, "apt install ffmpeg,"),
    ])
    func whatToInstallIsSaidWhereNothingIs(_ container: SoundContainer, _ words: String) {
        let flaw = #expect(throws: SoundFlaw.self) {
            try SoundProgram.command(for: container, "in", "out", in: ["/nowhere"])
        }
        #expect(flaw?.description.contains(words) == true, "\(String(describing: flaw))")
    }

    /// What a file refers to is never followed: no list, no other protocol, one demuxer.
    @Test func ffmpegIsToldToReadOneFileAndNothingElse() throws {
        guard let command = try? SoundProgram.command(for: .mpeg4, "/a", "/b"), command[0].hasSuffix("ffmpeg") else {
            return
        }
        let pairs = zip(command, command.dropFirst()).map { "\($0) \($1)" }
        for pair in ["-protocol_whitelist file", "-f mov", "-i file:/a", "-threads 1"] { #expect(pairs.contains(pair)) }
        #expect(command.contains("-nostdin") && command.last == "file:/b")
    }

    /// What ffmpeg 5.1.9 printed for files of every kind that were cut at 250 places (WebM, live
    /// WebM, Matroska, M4A with its table in front, in fragments, and behind).
    @Test(arguments: [
        ("[matroska,webm @ 0x55] File ended prematurely", 0, true),
        ("[webm @ 0x1] Truncating packet of size 92 to 91", 0, true),
        ("[mov,mp4,m4a,3gp,3g2,mj2 @ 0x1] stream 0, offset 0x2c: partial file", 0, true),
        ("file:/x: corrupt input packet in stream 0", 1, true), ("[mov @ 0x1] moov atom not found", 1, true),
        ("[aac @ 0x1] Input buffer exhausted before END element found", 1, true), ("", 0, false),
        ("[aac @ 0x1] Input buffer exhausted before END element found", 0, false),
        ("Stream map '0:a:0' matches no streams.", 1, false),
    ])
    func whatAProgramSaysOfACutFileIsUnderstood(_ line: String, _ status: CInt, _ isCut: Bool) {
        #expect(SoundProgram.saysCut(line + "\n", status: status) == isCut)
    }

    /// ISO/IEC 14496-12 and RFC 8794, by hand: a box of 24 bytes and one of 100 000; a Segment of
    /// 1000 bytes, one of unknown size.
    static let claims: [(SoundContainer, [UInt8], Int, UInt64?)] = [
        (.mpeg4, box(24, "ftyp") + box(100_000, "mdat"), 24 + 100_000, 100_024),
        (.mpeg4, box(24, "ftyp") + box(100_000, "mdat"), 500, 100_024), (.mpeg4, box(24, "ftyp"), 24, 24),
        (.mpeg4, box(24, "ftyp") + [0, 0, 0], 27, 32), (.mpeg4, box(24, "ftyp") + box(0, "mdat"), 500, nil),
        (.mpeg4, box(24, "ftyp") + box(1, "mdat", 1 << 32), 500, 24 + 1 << 32),
        (.mpeg4, box(24, "ftyp") + box(1, "mdat", .max), 500, nil),
        (.mpeg4, box(24, "ftyp") + box(7, "mdat"), 500, nil),
        (.mpeg4, box(24, "ftyp") + box(8, "free") + box(100_000, "mdat"), 500, 24 + 8 + 100_000),
        (.mpeg4, box(24, "ftyp") + box(1, "mdat", 1 << 62), 500, nil),
        (.mpeg4, box(24, "ftyp") + box(1, "mdat", 0x3FFF_FFFF_FFFF_FFFF), 500, 0x4000_0000_0000_0017),
        // An ID3 tag behind the last box is none.
        (.mpeg4, box(24, "ftyp") + Array("TAGTitle of a song".utf8), 152, nil),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 0x84, 0, 0, 0, 0, 0x18, 0x53, 0x80, 0x67, 0x43, 0xE8], 500, 9 + 6 + 1000),
        (
            .matroska, [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255],
            500, nil
        ),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80], 8, nil),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3], 4, nil),
        (.adts, [0xFF, 0xF1], 2, nil),
    ]

    private static func box(_ size: UInt32, _ name: String, _ long: UInt64? = nil) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        let head = bytes(size) + Array(name.utf8) + (long.map { bytes($0) } ?? [])
        return name == "ftyp" ? head + [UInt8](repeating: 0, count: Int(size) - head.count) : head
    }

    @Test(arguments: claims.indices) func aContainerTellsHowLongTheFileIs(_ index: Int) {
        let (container, bytes, size, claimed) = Self.claims[index]
        let found = container.claimedSize(of: UInt64(size)) { offset, count in
            let all = bytes + [UInt8](repeating: 0, count: max(0, min(size, 1000) - bytes.count))
            return Array(all.dropFirst(Int(offset)).prefix(count))
        }
        #expect(found == claimed)
    }
}
