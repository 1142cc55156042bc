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
}
