// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience
import Testing

/// A study's sounds, encoded by programs that are not ours (lame, oggenc, opusenc, flac, ffmpeg),
/// decoded by ours or by what is installed, and measured.
@Suite struct SoundFilesTests {
    static let encoders: [(name: String, command: String)] = [
        ("tone.mp3", "lame --quiet -b 128 \"$1\" \"$2\""), ("vbr.mp3", "lame --quiet -V 5 \"$1\" \"$2\""),
        ("tone.ogg", "oggenc -Q -o \"$2\" \"$1\""), ("tone.opus", "opusenc --quiet \"$1\" \"$2\""),
        ("tone.flac", "flac --silent -f -o \"$2\" \"$1\""),
        ("float.wav", "ffmpeg -loglevel error -y -i \"$1\" -c:a pcm_f32le \"$2\""),
        ("pcm24.wav", "ffmpeg -loglevel error -y -i \"$1\" -c:a pcm_s24le \"$2\""),
        ("tone.m4a", "ffmpeg -loglevel error -y -i \"$1\" -c:a aac -b:a 128k \"$2\""),
        ("tone.aac", "ffmpeg -loglevel error -y -i \"$1\" -c:a aac -b:a 128k \"$2\""),
        ("tone.webm", "ffmpeg -loglevel error -y -i \"$1\" -c:a libopus \"$2\""),
        (
            "clip.mp4",
            "ffmpeg -loglevel error -y -f lavfi -i testsrc=d=3:s=64x64:r=10 -i \"$1\" -c:v mpeg4 -c:a aac \"$2\""
        ),
        (
            "clip.webm",
            "ffmpeg -loglevel error -y -f lavfi -i testsrc=d=3:s=64x64:r=10 -i \"$1\" -c:v vp8 -c:a libopus \"$2\""
        ),
        ("tone.aiff", "ffmpeg -loglevel error -y -i \"$1\" \"$2\""),
        // A name that lies.
        ("really-mp3.wav", "lame --quiet \"$1\" \"$2\""),
    ]
    static let hasEncoders = ["lame", "oggenc", "opusenc", "flac", "ffmpeg"].allSatisfy {
        access("/usr/bin/\($0)", X_OK) == 0
    }

    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "studyd-sounds-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, words: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let words = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return (process.terminationStatus, String(decoding: words, as: UTF8.self))
    }

    private func decode(_ file: String) throws -> (status: Int32, words: String) {
        try run(Programs.studyd, ["decode-sound", file, folder + "/decoded.wav"])
    }

    /// A stereo WAV file of a tone; left and right are the same.
    private func tone(_ frequency: Double, seconds: Double, rate: Int, amplitude: Double = 0.5) throws -> String {
        var samples = Data()
        for index in 0..<Int(seconds * Double(rate)) {
            let value = Int16(32_767 * amplitude * sin(2 * .pi * frequency * Double(index) / Double(rate)))
            for _ in 0..<2 { withUnsafeBytes(of: value.littleEndian) { samples.append(contentsOf: $0) } }
        }
        func long(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).littleEndian) { Data($0) } }
        func word(_ value: Int) -> Data { withUnsafeBytes(of: UInt16(value).littleEndian) { Data($0) } }
        let file =
            Data("RIFF".utf8) + long(36 + samples.count) + Data("WAVEfmt ".utf8) + long(16) + word(1) + word(2)
            + long(rate) + long(4 * rate) + word(4) + word(16) + Data("data".utf8) + long(samples.count) + samples
        try file.write(to: URL(fileURLWithPath: folder + "/tone.wav"))
        return folder + "/tone.wav"
    }

    /// Rate and samples of the file that was made.
    private func decoded() throws -> (rate: Int, samples: [Int16]) {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/decoded.wav"))
        let bytes = [UInt8](data)
        #expect(Array(bytes[0..<4]) == Array("RIFF".utf8) && bytes[22] == 1 && bytes[34] == 16)
        let rate = (24..<28).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
        let samples = stride(from: 44, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        return (rate, samples)
    }

    /// Amplitude at one frequency, by Goertzel's sum over whole periods of the middle.
    private func amplitude(_ samples: ArraySlice<Int16>, at frequency: Double, rate: Int) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count) / 32_768
    }

    @Test(.enabled(if: hasEncoders, "lame, vorbis-tools, opus-tools, flac and ffmpeg are wanted"), arguments: encoders)
    func theToneThatWasEncodedIsHeard(_ name: String, _ command: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wave = try tone(440, seconds: 3, rate: 44_100)
        let file = folder + "/" + name
        #expect(try run("/bin/sh", ["-c", command, "sh", wave, file]).status == 0)
        let ended = try decode(file)
        try #require(ended.status == 0, "\(ended.words)")
        let (rate, samples) = try decoded()
        #expect(rate == (name.hasSuffix("opus") || name.hasSuffix("webm") ? 48_000 : 44_100))
        #expect(abs(Double(samples.count) / Double(rate) - 3) < 0.08)
        let middle = samples[rate..<2 * rate]
        #expect(abs(amplitude(middle, at: 440, rate: rate) - 0.5) < 0.04)
        for other in [220.0, 445, 880, 1_320] {
            #expect(amplitude(middle, at: other, rate: rate) < 0.01, "\(other) Hz")
        }
        #expect(try self.whole(file) || name.hasSuffix("wav"))
    }

    /// Half of the file is less sound, or none, but never a crash and never the whole.
    private func whole(_ file: String) throws -> Bool {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        for share in [0, 1, 3, 10, 40] {
            try data.prefix(data.count * share / 100).write(to: URL(fileURLWithPath: folder + "/cut"))
            let ended = try decode(folder + "/cut")
            #expect(ended.status == 1 || ended.status == 0 && share > 0, "\(share) %: \(ended)")
            if ended.status == 0 { #expect(try decoded().samples.count < 3 * 40_000) }
        }
        return true
    }

    /// What ffmpeg itself plays to its last byte and ends with 0: WebM and Matroska, MP4 with its
    /// table in front, and MP4 in fragments. Cut anywhere but between two pieces of a stream, which
    /// is whole as far as anybody can tell.
    @Test(
        .enabled(if: hasEncoders),
        arguments: [
            ("x.webm", ["-c:a", "libopus"]),
            ("live.webm", ["-c:a", "libopus", "-live", "1", "-cluster_time_limit", "500"]),
            ("x.mka", ["-c:a", "libvorbis"]), ("x.m4a", ["-c:a", "aac"]),
            ("front.m4a", ["-c:a", "aac", "-movflags", "+faststart"]),
            ("parts.m4a", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "500000"]),
            ("x.aac", ["-c:a", "aac"]),
        ])
    func aFileThatIsCutOffIsRefused(_ name: String, _ options: [String]) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/" + name
        let sound = ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=4"]
        #expect(try run("/usr/bin/ffmpeg", sound + options + [file]).status == 0)
        try #require(try decode(file).status == 0)
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        var places = (1...12).map { data.count * $0 / 13 + 7 }
        // An AAC frame is whole or not; in a container its end is known to the byte.
        if !name.hasSuffix("aac") { places += [data.count - 1, data.count - 2] }
        if name == "live.webm" || name == "parts.m4a" { places.removeLast(2) }
        for place in places {
            try data.prefix(place).write(to: URL(fileURLWithPath: folder + "/cut"))
            // ffmpeg ends with 0 after these words, and studyd refuses then (`SoundProgramTests`).
            let ended = try decode(folder + "/cut")
            #expect(
                ended.status == 1
                    || ["File ended prematurely", "Truncating packet", "partial file"].contains {
                        ended.words.contains($0)
                    },
                "\(name), \(place) of \(data.count): \(ended.words)")
        }
    }

    /// Louder than full scale is cut, not turned over.
    @Test(.enabled(if: hasEncoders)) func aSoundAtTheEndOfTheScaleDoesNotCrackle() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wave = try tone(440, seconds: 1, rate: 44_100, amplitude: 1)
        #expect(
            try run("/bin/sh", ["-c", "lame --quiet -b 32 \"$1\" \"$2\"", "sh", wave, folder + "/loud.mp3"]).status == 0
        )
        #expect(try decode(folder + "/loud.mp3").status == 0)
        let samples = try decoded().samples
        let steps = zip(samples, samples.dropFirst()).map { abs(Int($1) - Int($0)) }
        #expect(steps.max() ?? 0 < 8_000)
    }

    /// What is no sound, what is damaged, and what is larger than it looks.
    @Test(.enabled(if: hasEncoders)) func whatCannotBePlayedIsNamedAndNeverEndless() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("<html>not found</html>".utf8).write(to: URL(fileURLWithPath: folder + "/page.mp3"))
        #expect(try decode(folder + "/page.mp3").words.contains("not a playable sound"))
        let wave = try tone(440, seconds: 3, rate: 44_100)
        #expect(
            try run("/bin/sh", ["-c", "flac --silent -f -o \"$2\" \"$1\"", "sh", wave, folder + "/a.flac"]).status == 0)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/a.flac")))
        for index in bytes.count / 2..<bytes.count / 2 + 4_000 { bytes[index] = bytes[index] &* 7 &+ 13 }
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/bad.flac"))
        let damaged = try decode(folder + "/bad.flac")
        #expect(damaged.status == 1 && damaged.words.contains("it is damaged after 1 s"))
        // An hour of silence in less than a megabyte.
        let bomb = "ffmpeg -loglevel error -y -f lavfi -i anullsrc=r=48000:cl=mono -t 3600 -c:a flac \"$1\""
        #expect(try run("/bin/sh", ["-c", bomb, "sh", folder + "/bomb.flac"]).status == 0)
        let size = try Data(contentsOf: URL(fileURLWithPath: folder + "/bomb.flac")).count
        let endless = try decode(folder + "/bomb.flac")
        #expect(
            size < 4_000_000 && endless.status == 1 && endless.words.contains("longer than 11 minutes"), "\(endless)")
    }

    /// A web server for what is in the folder, by Python; its port is the last word
    /// of its first line.
    private func serve() throws -> (process: Process, port: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let words = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
        let place = try #require(words.firstIndex(of: "port"))
        return (process, String(words[place + 1]))
    }

    /// Enrolment refuses these, and only these; a video without its sound is still asked about.
    @Test(.enabled(if: hasEncoders)) func validateFetchesWhatEnrolmentFetches() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wave = try tone(440, seconds: 1, rate: 48_000)
        let long =
            "ffmpeg -loglevel error -y -i \"$1\" -c:a aac \"$2/a sound.m4a\" && "
            + "ffmpeg -loglevel error -y -f lavfi -i sine=duration=6 -c:a libopus -live 1 \"$2/whole.webm\" && "
            + "head -c 30000 \"$2/whole.webm\" > \"$2/cut.webm\" && head -c 5000 \"$2/a sound.m4a\" > \"$2/cut.m4a\" && "
            + "ffmpeg -loglevel error -y -stream_loop 700 -i \"$2/a sound.m4a\" -c copy \"$2/long.m4a\" && "
            + "ffmpeg -loglevel error -y -f lavfi -i testsrc=d=1:s=64x64 -c:v mpeg4 \"$2/mute.mp4\""
        #expect(try run("/bin/sh", ["-c", long, "sh", wave, folder]).status == 0)
        try Data("<html>not found</html>".utf8).write(to: URL(fileURLWithPath: folder + "/page.mp3"))
        let (server, port) = try serve()
        defer { server.terminate() }
        func media(_ id: String, _ kind: String) -> String {
            #"{"id":"\#(id)","type":"media","subtype":"\#(kind)","src":"http://127.0.0.1:\#(port)/\#(id)","text":"Listen"}"#
        }
        let sounds = ["a sound.m4a", "page.mp3", "gone.mp3", "long.m4a", "cut.webm", "cut.m4a"].map {
            media($0, "audio")
        }
        let questions = (sounds + [media("mute.mp4", "video")]).joined(separator: ",")
        let study = """
            {"properties":{"study_id":"S","post_url":"https://example.org/p","conditions":[],"cache":true},"modules":[{"uuid":"m","name":"M",
            "condition":"*","alerts":{"start_offset":0,"duration":1,"times":[{"hours":9,"minutes":0}]},"sections":[{"questions":[\(questions)]}]}]}
            """
        try Data(study.utf8).write(to: URL(fileURLWithPath: folder + "/study.json"))
        let board = Programs.package + "/boards/simulated-voice.toml"
        let checked = try run(Programs.studyd, ["validate", folder + "/study.json", "--board", board, "--fetch"])
        let refused = checked.words.split(separator: "\n").filter { $0.hasPrefix("refusal:") }.map(String.init)
        #expect(checked.status == 1 && refused.count == 5, "\(checked.words)")
        for (line, words) in zip(
            refused,
            [
                "page.mp3 cannot be played: not a playable sound", "gone.mp3 cannot be played",
                "long.m4a cannot be played: it is longer than 11 minutes",
                "cut.webm cannot be played: it is cut off after ",
                "cut.m4a cannot be played: it is cut off: 5000 of at least ",
            ])
        {
            #expect(line.contains("$.modules[0].sections[0].questions") && line.contains(words), "\(line)")
        }
        #expect(
            checked.words.contains(
                "unsupported: $.modules[0].sections[0].questions[6].src: http://127.0.0.1:\(port)/mute.mp4 cannot be played: there is no sound in it"
            ))
        #expect(checked.words.contains("5 sounds cannot be played"))
        #expect(try run(Programs.studyd, ["validate", folder + "/study.json", "--board", board]).status == 0)
    }

    /// Sixty files of which random bytes are others: a word or a sound, and no signal.
    @Test(.enabled(if: hasEncoders)) func damageNeverEndsInASignal() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wave = try tone(440, seconds: 0.5, rate: 16_000)
        var state: UInt64 = 20_261_122
        func draw(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for (name, command) in Self.encoders.prefix(5) {
            #expect(try run("/bin/sh", ["-c", command, "sh", wave, folder + "/" + name]).status == 0)
            let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
            for _ in 0..<12 {
                var bytes = original
                for _ in 0...draw(20) { bytes[draw(bytes.count)] = UInt8(draw(256)) }
                try Data(bytes).write(to: URL(fileURLWithPath: folder + "/damaged"))
                #expect([0, 1].contains(try decode(folder + "/damaged").status), "\(name)")
            }
        }
    }
}
