// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

private func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func chunk(_ name: String, _ body: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + little(size ?? body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
}

private func wave(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WAVE".utf8) + chunks) }

private func format(tag: Int = 1, channels: Int = 1, rate: Int = 8000, bits: Int = 16) -> [UInt8] {
    chunk("fmt ", little(tag, 2) + little(channels, 2) + little(rate, 4) + little(0, 6) + little(bits, 2))
}

@Suite struct WaveFileTests {
    private let data = chunk("data", [1, 0, 255, 255, 0, 128, 255, 127])

    @Test func samplesAreReadAsTheyAre() throws {
        let file = try WaveFile(bytes: wave(format() + data))
        #expect(file == WaveFile(rate: 8000, channels: 1, samples: [1, -1, -32768, 32767]))
    }

    @Test(arguments: [1, 16], [1000, 384_000]) func asManyChannelsAndFramesASecondAsThereAreMayBe(
        channels: Int, rate: Int
    ) throws {
        let data = chunk("data", [UInt8](repeating: 1, count: 4 * channels))
        let file = try WaveFile(bytes: wave(format(channels: channels, rate: rate) + data))
        #expect(file.channels == channels && file.rate == rate && file.mono == [257, 257])
    }

    @Test func unknownChunksOfOddLengthAreSkipped() throws {
        let file = try WaveFile(bytes: wave(format() + chunk("LIST", [1, 2, 3]) + data))
        #expect(file.samples.count == 4)
    }

    @Test func aSizeThatAPipeCouldNotKnowEndsWithTheFile() throws {
        let open = chunk("data", [5, 0, 6, 0, 7], size: 0x7FFF_F000)
        #expect(try WaveFile(bytes: wave(format() + open)).samples == [5, 6, 7])
    }

    @Test func channelsAreMixedWithoutOverflow() throws {
        let file = try WaveFile(bytes: wave(format(channels: 2) + chunk("data", [255, 127, 255, 127, 0, 128, 0, 0])))
        #expect(file.mono == [32767, -16384])
    }

    @Test(
        arguments: [
            ([], WaveFile.Flaw.notWave), (Array("RIFF".utf8), .notWave), (wave([]), .broken("no samples")),
            (wave(chunk("data", [0, 0])), .broken("samples before their format")),
            (wave(format(tag: 3, bits: 32) + chunk("data", [])), .coding(tag: 3, bits: 32)),
            (wave(format(bits: 8) + chunk("data", [])), .coding(tag: 1, bits: 8)),
            (wave(format(rate: 0) + chunk("data", [])), .broken("1 channels at 0 Hz")),
            (wave(format(rate: 999) + chunk("data", [])), .broken("1 channels at 999 Hz")),
            (wave(format(rate: 384_001) + chunk("data", [])), .broken("1 channels at 384001 Hz")),
            (wave(format(channels: 0) + chunk("data", [])), .broken("0 channels at 8000 Hz")),
            (wave(format(channels: 17) + chunk("data", [])), .broken("17 channels at 8000 Hz")),
            (wave(chunk("fmt ", [1, 0])), .broken("format of 2 bytes")),
        ] as [([UInt8], WaveFile.Flaw)]) func whatCannotBePlayedSaysWhy(_ bytes: [UInt8], _ flaw: WaveFile.Flaw)
    {
        #expect(throws: flaw) { _ = try WaveFile(bytes: bytes) }
    }

    @Test(arguments: [1, 2]) func whatLibasoundWritesIsReadBack(_ channels: Int) throws {
        let folder = try ScratchFolder()
        let text = ALSAConfiguration.filePlugin(name: "speaker", outfile: "\(folder.path)/out.wav")
        let parameters = PCMParameters(
            device: "speaker", configuration: String(text.replacing("\"raw\"", with: "\"wav\"")), rate: 8000,
            channels: channels, pacing: .byClock)
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(parameters, clock: KernelClock())
        player.play(samples: ramp(900), rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        player.close()
        let file = try WaveFile(path: "\(folder.path)/out.wav")
        #expect(file.rate == 8000 && file.channels == channels && file.mono == ramp(900))
    }

    @Test func everyPrefixOfAFileIsReadOrRefused() {
        let bytes = wave(format() + data)
        for length in bytes.indices { _ = try? WaveFile(bytes: Array(bytes[..<length])) }
    }

    @Test func aFileBeyondTheLimitIsRefused() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("long.wav", wave(format() + chunk("data", [UInt8](repeating: 0, count: 2000))))
        #expect(throws: WaveFile.Flaw.tooLarge(limit: 1000)) { _ = try WaveFile(path: path, limit: 1000) }
        #expect(try WaveFile(path: path).samples.count == 1000)
    }
}
