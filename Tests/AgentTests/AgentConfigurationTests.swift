// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@testable import Agent

@Suite struct AgentConfigurationTests {
    @Test func theLeastConfigurationIsABoard() throws {
        let configuration = try AgentConfiguration(parsing: "board = 'b.toml'", file: "s.toml")
        #expect(configuration.board == "b.toml")
        #expect(configuration.state == "/var/lib/studyd")
        #expect(configuration.zone == nil && configuration.destinations.isEmpty)
        #expect(configuration.diskCap == 4 << 30)
        #expect(!configuration.trustsSystemClock)
        #expect(configuration.listensToGPS && !configuration.setsSystemClock)
        #expect(configuration.measures.isEmpty && configuration.pause == nil)
    }

    /// A folder that the command line names makes that of the file of no account, be it relative.
    @Test func aGivenStateFolderOverridesThatOfTheFile() throws {
        let text = "board = 'b'\nstate = 'box'"
        #expect(try AgentConfiguration(parsing: text, file: "s.toml", state: "/s").state == "/s")
    }

    @Test(arguments: [("1m", 60), ("30m", 1_800), ("24h", 86_400)]) func thePauseOfTheSensorsIsRead(
        text: String, seconds: Int64
    ) throws {
        let file = "board = 'b.toml'\n[privacy]\npause = '\(text)'\n"
        #expect(try AgentConfiguration(parsing: file, file: "s.toml").pause == .seconds(seconds))
    }

    /// Without a `zone` there is nothing to remove.
    @Test(arguments: [
        (nil, "install the package tzdata"), ("Mars/Olympus", "use a name such as Europe/Berlin, or remove it"),
    ])
    func aZoneThatIsNotThereComesWithItsRemedy(_ zone: String?, _ remedy: String) {
        #expect(SystemZone.remedy(zone) == remedy)
    }

    @Test func everythingThatCanBeSaidIsRead() throws {
        let text = """
            board = "b.toml"
            state = "/tmp/x"
            zone = "Asia/Kathmandu"
            [upload]
            recordings = "https://example.org/files/"
            keep_answers = "36h"
            [disk]
            cap_gib = 0.5
            [clock]
            trust_system = true
            gps = false
            set_system = true
            prompts_within = "2m"
            [[measure]]
            channel = "accelerometer"
            rate = 50
            range = 4.0
            when = "always"
            rotate = "30m"
            [[measure]]
            channel = "sound"
            format = "flac"
            """
        let configuration = try AgentConfiguration(parsing: text, file: "s.toml")
        #expect(configuration.zone == "Asia/Kathmandu")
        #expect(configuration.destinations.map(\.destination.address) == ["https://example.org/files/"])
        #expect(configuration.diskCap == 1 << 29)
        #expect(configuration.keepAnswers == .seconds(36 * 3600))
        #expect(configuration.promptsWithin == .seconds(120))
        #expect(configuration.trustsSystemClock && configuration.setsSystemClock && !configuration.listensToGPS)
        let motion = ConfiguredMeasure(
            channel: .accelerometer, rate: 50, range: 4, activity: .always, format: .cwa, rotation: .seconds(1800))
        var sound = ConfiguredMeasure(
            channel: .sound, rate: 16_000, range: nil, activity: .enrolled, format: .flac, rotation: .seconds(3600))
        sound.isRateAsked = false
        #expect(configuration.measures == [motion, sound])
    }

    @Test(arguments: MeasureKind.allCases.filter { $0 != .features }) func everyChannelHasAFormatAndARateOfItsOwn(
        _ kind: MeasureKind
    ) throws {
        let text = "board = 'b'\n[[measure]]\nchannel = '\(kind.rawValue)'\n"
        let measure = try #require(try AgentConfiguration(parsing: text, file: "s.toml").measures.first)
        #expect(measure.channel == kind && measure.rate > 0)
    }

    private static let levels = "[[measure]]\nchannel = 'sound'\nformat = 'levels'\n"
    private static let motion = "board = 'b'\n[[measure]]\nchannel = 'accelerometer'\n"

    @Test func featuresAreAllOfThemEachMinuteUnlessTheFileSaysOtherwise() throws {
        let all = try AgentConfiguration(parsing: Self.motion + "[features]\n", file: "s.toml").features
        #expect(all?.epoch == .minute && all?.names == ["enmo", "mad", "anglez", "agcounts", "wear"])
        let everything = Self.motion + Self.levels + "[[measure]]\nchannel = 'position'\n[features]\n"
        #expect(try AgentConfiguration(parsing: everything, file: "s.toml").features == FeatureSettings())
        let text = Self.motion + "[features]\nepoch = '5s'\nis = ['wear', 'enmo']\nrotate = '1h'\n"
        let own = try AgentConfiguration(parsing: text, file: "s.toml").features
        #expect(own?.epoch.length == .seconds(5) && own?.names == ["enmo", "wear"] && own?.rotation == .seconds(3600))
        #expect(try AgentConfiguration(parsing: Self.motion, file: "s.toml").features == nil)
    }

    /// What the complaint about a wrong duration promises.
    @Test(arguments: [("0s", 0), ("366d", 366 * 86_400)] as [(String, Int64)])
    func answersAreKeptFromNoTimeToAYear(text: String, seconds: Int64) throws {
        let configuration = try AgentConfiguration(
            parsing: "board = 'b'\n[upload]\nkeep_answers = '\(text)'", file: "s.toml")
        #expect(configuration.keepAnswers == .seconds(seconds))
    }

    static let mistakes: [(text: String, place: String, contains: String)] = [
        ("", "s.toml: board: ", "is missing"),
        ("bord = 'b'", "s.toml: board: ", "'bord'"),
        ("board = 'b'\nzones = 'x'", "s.toml:2: zones: ", "known keys"),
        ("board = 'b'\nzone = 'Mars/Olympus'", "s.toml:2: zone: ", "Mars/Olympus"),
        ("board = 'b'\n[upload]\nevery = '59s'", "s.toml:3: upload.every: ", "1m to 24h"),
        ("board = 'b'\n[privacy]\npause = '59s'", "s.toml:3: privacy.pause: ", "1m to 24h"),
        ("board = 'b'\n[privacy]\npause = '25h'", "s.toml:3: privacy.pause: ", "1m to 24h"),
        ("board = 'b'\n[upload]\nrecording = 'x'", "s.toml:3: upload.recording: ", "recordings"),
        ("board = 'b'\n[upload]\nrecordings = 'example.org'", "s.toml:3: upload.recordings: ", "http"),
        ("board = 'b'\n[upload]\nrecordings = 'http://'", "s.toml:3: upload.recordings: ", "host"),
        ("board = 'b'\n[report]\nurl = 'https://lab:99999'", "s.toml:3: report.url: ", "port"),
        ("board = 'b'\n[upload]\nkeep_answers = 'long'", "s.toml:3: upload.keep_answers: ", "0s to 366d"),
        ("board = 'b'\n[upload]\nkeep_answers = '367d'", "s.toml:3: upload.keep_answers: ", "0s to 366d"),
        ("board = 'b'\n[disk]\ncap_gib = 0", "s.toml:3: disk.cap_gib: ", "0.01 to 4096"),
        ("board = 'b'\n[clock]\nprompts_within = 'never'", "s.toml:3: clock.prompts_within: ", "from 1s to 24h"),
        (
            "board = 'b'\n[report]\nurl = 'https://lab.example'\nevery = '59s'", "s.toml:4: report.every: ",
            "from 1m to 24h"
        ),
        ("board = 'b'\nstate = 'box'", "s.toml:2: state: 'box'", "write it absolute"),
        ("board = 'b'\nstate = ''", "s.toml:2: state: ''", "write it absolute"),
        ("board = 'b'\n[clock]\ntrust_system = 'yes'", "s.toml:3: clock.trust_system: ", "true or false"),
        ("board = 'b'\n[[measure]]\nrate = 1", "s.toml:2: measure[0].channel: ", "is missing"),
        ("board = 'b'\n[[measure]]\nchannel = 'smell'", "s.toml:3: measure[0].channel: ", "accelerometer"),
        ("board = 'b'\n[[measure]]\nchannel = 'features'", "s.toml:3: measure[0].channel: ", "not measured"),
        ("board = 'b'\n[features]\nepoch = '60s'", "s.toml:2: features: ", "acceleration"),
        (Self.motion + "[features]\nepoch = '7s'", "s.toml:5: features.epoch: ", "15m"),
        (Self.motion + "[features]\nis = ['sleep']", "s.toml:5: features.is: ", "agcounts, wear"),
        (Self.motion + "[features]\nis = ['sound']", "s.toml:5: features.is: ", "format = \"levels\""),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nformat = 'flac'\n[features]\nis = ['sound']",
            "s.toml:6: features.is: ", "does not measure"
        ),
        (Self.motion + "[features]\nis = ['visits']", "s.toml:5: features.is: ", "channel = \"position\""),
        (Self.motion + "[features]\nis = []", "s.toml:5: features.is: ", "no feature"),
        (Self.motion + "[features]\nis = 'enmo'", "s.toml:5: features.is: ", "in brackets"),
        (Self.motion + "[features]\nrotate = '25h'", "s.toml:5: features.rotate: ", "from 1m to 24h"),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nformat = 'cwa'", "s.toml:4: measure[0].format: ",
            "levels or flac"
        ),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nformat = 'mp3'", "s.toml:4: measure[0].format: ",
            "'mp3' is not one of: "
        ),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nformat = 'flac'\nthird_octaves = 2",
            "s.toml:5: measure[0].third_octaves: ", "has no levels"
        ),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nrotate = '5s'", "s.toml:4: measure[0].rotate: ", "10s to 24h"
        ),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\nwhen = 'often'", "s.toml:4: measure[0].when: ",
            "always, enrolled"
        ),
        (
            "board = 'b'\n[[measure]]\nchannel = 'sound'\n[[measure]]\nchannel = 'sound'",
            "s.toml:5: measure[1].channel: ", "twice"
        ),
    ]

    @Test(arguments: mistakes.indices) func everyMistakeNamesFileLineKeyAndRemedy(_ index: Int) {
        let mistake = Self.mistakes[index]
        let error = #expect(throws: ConfigError.self) { try AgentConfiguration(parsing: mistake.text, file: "s.toml") }
        let complaint = error?.description ?? ""
        #expect(complaint.hasPrefix(mistake.place), "\(complaint)")
        #expect(complaint.contains(mistake.contains), "\(complaint)")
    }
}
