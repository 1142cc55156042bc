// SPDX-License-Identifier: Apache-2.0
import Device
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import PlatformMyStudies
@testable import Study

/// The boards that are shipped, and the configuration that is.
@Suite struct MeasuringFitTests {
    static let boards = ["breadboard", "sense-hat", "simulated", "simulated-voice", "virtual", "wearable"]

    private func board(_ name: String) throws -> BoardDescription {
        let path = "\(AgentFixture.package)/boards/\(name).toml"
        return try BoardDescription(parsing: BoundedFile.text(path), file: path)
    }

    private func configuration(_ measures: String) throws -> AgentConfiguration {
        try AgentConfiguration(parsing: "board = 'b'\n" + measures, file: "studyd.toml")
    }

    @Test(arguments: boards) func theExampleConfigurationWorksOnEveryShippedBoard(_ name: String) throws {
        let text = try BoundedFile.text(AgentFixture.package + "/docs/studyd.toml")
        let configuration = try AgentConfiguration(parsing: text, file: "studyd.toml")
        let fit = MeasuringFit(configuration.measures, on: try board(name)) { _ in nil }
        #expect(fit.problems.isEmpty, "\(fit.problems)")
        #expect(!fit.uses.isEmpty)
    }

    /// Without a calibration levels are re full scale, of which no one knows how loud they were.
    @Test(arguments: [(120.0, 0), (0, 1)]) func soundIsNoFeatureWithoutACalibration(calibration: Double, remarks: Int)
        throws
    {
        let text = try BoundedFile.text(AgentFixture.package + "/boards/simulated.toml").replacing(
            "calibration = 120.0", with: "calibration = \(calibration)")
        let levels = try configuration("[[measure]]\nchannel = 'sound'\nformat = 'levels'\n[features]\n")
        let fit = MeasuringFit(
            levels.measures, features: levels.features, on: try BoardDescription(parsing: text, file: "b.toml"))
        #expect(fit.problems.isEmpty && fit.remarks.count == remarks, "\(fit.remarks)")
        #expect(fit.remarks.allSatisfy { $0.contains("sound is left out: b.toml has no calibration") })
    }

    /// Rates of the data sheets: LSM9DS1 table 46 (14.9 to 952 Hz), LSM6DSO table 41
    /// (12.5 to 6667 Hz).
    @Test(arguments: [
        ("sense-hat", "14.9, 59.5, 119, 238, 476"), ("wearable", "12.5, 26, 52, 104, 208, 417, 833, 1667"),
    ]) func aRateThatTheBoardsChipDoesNotHaveIsNamedWithThoseItHas(_ name: String, _ rates: String) throws {
        let measures = try configuration("[[measure]]\nchannel = 'accelerometer'\nrate = 100").measures
        let fit = MeasuringFit(measures, on: try board(name))
        #expect(fit.problems.count == 1)
        let words = fit.problems.first?.description ?? ""
        #expect(words.contains("has no rate 100; possible: \(rates)") && words.contains("\(name).toml:"), "\(words)")
        let free = try configuration("[[measure]]\nchannel = 'accelerometer'").measures
        #expect(MeasuringFit(free, on: try board(name)).problems.isEmpty)
    }

    /// A rate that is not in studyd.toml is that of the other.
    @Test(arguments: [
        ("rate = 104", "rate = 104", true), ("rate = 104", "rate = 52", false), ("", "rate = 52", true),
        ("", "", true),
    ]) func twoKindsOfOneChipShareAFileOfOneRate(one: String, other: String, isShared: Bool) throws {
        let measures = try configuration(
            "[[measure]]\nchannel = 'accelerometer'\n\(one)\n[[measure]]\nchannel = 'gyroscope'\n\(other)"
        ).measures
        #expect(measures[0].canShareFile(with: measures[1]) == isShared)
        #expect(measures[1].canShareFile(with: measures[0]) == isShared)
    }

    /// What is wrong is a key of studyd.toml, which the remedy names.
    static let wrongs: [(board: String, measures: String, says: String)] = [
        ("sense-hat", "[[measure]]\nchannel = 'accelerometer'\nrange = 3", "has no range 3"),
        ("wearable", "[[measure]]\nchannel = 'gyroscope'\nrange = 1", "gyroscope range"),
        ("wearable", "[[measure]]\nchannel = 'magnetometer'", "none of its [[chip]] tables measures it"),
        ("sense-hat", "[[measure]]\nchannel = 'sound'", "no [microphone] table"),
        ("sense-hat", "[[measure]]\nchannel = 'position'", "no [position] table"),
        ("wearable", "[[measure]]\nchannel = 'sound'\nrate = 48000", "gives 16000 Hz"),
        ("wearable", "[[measure]]\nchannel = 'sound'\nrange = 2", "sound has no range"),
        (
            "breadboard", "[[measure]]\nchannel = 'position'\nrange = 2",
            "a position has no range; remove range from [[measure]] channel = \"position\" in studyd.toml"
        ),
        ("breadboard", "[[measure]]\nchannel = 'buttons'\nrange = 2", "buttons have no range"),
        (
            "wearable",
            "[[measure]]\nchannel = 'accelerometer'\nrate = 104\n[[measure]]\nchannel = 'gyroscope'\nrate = 52",
            "use the same rate"
        ),
    ]

    @Test(arguments: wrongs) func whatRunWouldRefuseIsSaidBefore(
        _ wrong: (board: String, measures: String, says: String)
    ) throws {
        let fit = MeasuringFit(try configuration(wrong.measures).measures, on: try board(wrong.board))
        let words = fit.problems.map(\.description).joined(separator: "\n")
        #expect(words.contains(wrong.says) && words.contains("studyd.toml"), "\(words)")
        #expect(throws: ConfigError.self) { try fit.check() }
    }

    /// One chip of two kinds gives one file, which the first table decides on.
    @Test(arguments: [
        ("rotate = '24h'\nlongest_gap = '5m'", ["rotate, longest_gap of the measure gyroscope has no effect"]),
        ("body_location = 'waist'\nfifo = false", ["body_location, fifo of the measure gyroscope has no effect"]),
        ("rotate = '2h'\nbody_location = 'left wrist'", []), ("", []),
    ]) func whatASharedFileDoesNotFollowIsSaid(_ keys: String, _ remarks: [String]) throws {
        let measures = try configuration(
            "[[measure]]\nchannel = 'accelerometer'\nrotate = '2h'\nbody_location = 'left wrist'\n"
                + "[[measure]]\nchannel = 'gyroscope'\n\(keys)"
        ).measures
        let fit = MeasuringFit(measures, on: try board("wearable"))
        #expect(fit.problems.isEmpty && fit.uses.count == 1)
        #expect(fit.remarks.map { String($0.split(separator: ":")[0]) } == remarks, "\(fit.remarks)")
    }

    @Test func whatIsOptionalIsLeftOutAndSaid() throws {
        let measures = try configuration("[[measure]]\nchannel = 'magnetometer'\noptional = true").measures
        let fit = MeasuringFit(measures, on: try board("wearable"))
        #expect(fit.problems.isEmpty && fit.uses.isEmpty && fit.remarks.count == 1)
    }

    /// What the lab waits for: neither what the board does not have, nor what has no file of its own.
    @Test(arguments: [
        (["accelerometer"], ["accelerometer"]), (["accelerometer", "gyroscope"], ["accelerometer"]),
        (["gyroscope", "accelerometer", "magnetometer"], ["accelerometer"]),
        (["magnetometer", "sound"], ["sound"]),
    ]) func channelsAreThoseOfTheFilesThatAreMade(asked: [String], made: [String]) throws {
        let tables = asked.map { "[[measure]]\nchannel = '\($0)'\noptional = true\n" }.joined()
        let fit = MeasuringFit(try configuration(tables).measures, on: try board("wearable"))
        #expect(fit.problems.isEmpty && fit.channels == made, "\(fit.channels)")
    }

    @Test(arguments: [["accelerometer", "gyroscope"], ["gyroscope", "accelerometer"]])
    func aDeviceOfTheKernelThatSharesABufferMakesOneFile(asked: [String]) throws {
        let device = try Self.nineAxes()
        let measures = try configuration(asked.map { "[[measure]]\nchannel = '\($0)'\n" }.joined()).measures
        let text = BoardDescriptionTests.least + Self.kernelChip("mpu9250")
        let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
            try? IIODevice.find($0.device, in: device.root)
        }
        #expect(fit.problems.isEmpty && fit.channels == ["accelerometer"], "\(fit.channels)")
    }

    /// The kernel's buffer of an MPU-9250 (inv_mpu6050) or a BNO055 holds acceleration, rotation and
    /// magnetic field, and open(2) gives its file to one reader.
    @Test(arguments: [
        (["accelerometer", "gyroscope"], false, 2, 0, 0), (["accelerometer", "magnetometer"], false, 1, 1, 0),
        (["accelerometer", "magnetometer"], true, 1, 0, 1), (["magnetometer", "accelerometer"], false, 1, 1, 0),
        (["magnetometer"], false, 1, 0, 0),
    ]) func oneDeviceOfTheKernelIsReadOnce(
        _ channels: [String], _ isOptional: Bool, _ measured: Int, _ problems: Int, _ remarks: Int
    ) throws {
        let device = try Self.nineAxes()
        let measures = try configuration(
            channels.map { "[[measure]]\nchannel = '\($0)'\noptional = \(isOptional)\n" }.joined()
        ).measures
        for missing in [false, true] {
            // One that is not there yet may measure it.
            let text = BoardDescriptionTests.least + Self.kernelChip("mpu9250") + (missing ? Self.kernelChip("x") : "")
            let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
                try? IIODevice.find($0.device, in: device.root)
            }
            #expect(fit.problems.count == (missing ? 0 : problems) && fit.remarks.count == (missing ? 0 : remarks))
            #expect(fit.kernelMeasures.count == (missing ? channels.count : measured))
            for words in fit.problems.map(\.description) + fit.remarks {
                #expect(words.contains(channels[1]) && words.contains("mpu9250 is read for \(channels[0])"), "\(words)")
            }
        }
    }

    /// Acceleration and rotation of one buffer are one file, with one rate.
    @Test(arguments: [(50.0, 1), (100, 0)]) func twoRatesOfOneDeviceOfTheKernelAreRefused(
        rate: Double, problems: Int
    ) throws {
        let device = try Self.nineAxes()
        let measures = try configuration(
            "[[measure]]\nchannel = 'accelerometer'\nrate = 100\n[[measure]]\nchannel = 'gyroscope'\nrate = \(rate)\n"
        ).measures
        let text = BoardDescriptionTests.least + Self.kernelChip("mpu9250")
        let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
            try? IIODevice.find($0.device, in: device.root)
        }
        let words = fit.problems.map(\.description)
        #expect(words.count == problems && words.allSatisfy { $0.contains("use the same rate") }, "\(words)")
    }

    /// 16 bits at the coarsest of its scales, 0.004 m/s² and 0.004 rad/s (sysfs-bus-iio), reach 13.4 g and 7510 °/s.
    @Test(arguments: [
        ("accelerometer", 13, 0), ("accelerometer", 14, 1), ("gyroscope", 2000, 0), ("gyroscope", 7500, 0),
        ("gyroscope", 8000, 1),
    ]) func aRangeIsThatOfItsOwnKind(channel: String, range: Int, problems: Int) throws {
        let device = try Self.nineAxes()
        let measures = try configuration("[[measure]]\nchannel = '\(channel)'\nrange = \(range)\n").measures
        let text = BoardDescriptionTests.least + Self.kernelChip("mpu9250")
        let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
            try? IIODevice.find($0.device, in: device.root)
        }
        let words = fit.problems.map(\.description)
        #expect(words.count == problems && words.allSatisfy { $0.contains("range \(range)") }, "\(words)")
    }

    /// The kernel's driver of an LIS3DH has acceleration alone.
    @Test(arguments: [(false, 1, 0), (true, 0, 1)]) func whatNoDeviceOfTheKernelMeasuresIsSaid(
        isOptional: Bool, problems: Int, remarks: Int
    ) throws {
        let model = SimulatedIIODevice.Model(
            name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.001) { _ in SIMD3(0, 0, 1) }])
        let device = try SimulatedIIODevice(model)
        let measures = try configuration("[[measure]]\nchannel = 'gyroscope'\noptional = \(isOptional)\n").measures
        let text = BoardDescriptionTests.least + Self.kernelChip("lis3dh")
        let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
            try? IIODevice.find($0.device, in: device.root)
        }
        #expect(fit.problems.count == problems && fit.remarks.count == remarks && fit.kernelMeasures.isEmpty)
        for words in fit.problems.map(\.description) + fit.remarks {
            #expect(words.contains("gyroscope") && words.contains("no device of its IIO chips"), "\(words)")
        }
    }

    /// A second device takes what the first has no room for.
    @Test func aFieldThatAnotherDeviceMeasuresIsReadThere() throws {
        let (first, second) = (try Self.nineAxes(), try Self.nineAxes("ak8963", number: 1))
        let measures = try configuration(
            "[[measure]]\nchannel = 'accelerometer'\n[[measure]]\nchannel = 'magnetometer'\n"
        ).measures
        let text = BoardDescriptionTests.least + Self.kernelChip("mpu9250") + Self.kernelChip("ak8963")
        let fit = MeasuringFit(measures, on: try BoardDescription(parsing: text, file: "b.toml")) {
            (try? IIODevice.find($0.device, in: first.root)) ?? (try? IIODevice.find($0.device, in: second.root))
        }
        #expect(fit.problems.isEmpty && fit.remarks.isEmpty && fit.kernelMeasures.count == 2)
    }

    private static func nineAxes(_ name: String = "mpu9250", number: Int = 0) throws -> SimulatedIIODevice {
        let model = SimulatedIIODevice.Model(
            name: name,
            sensors: ["anglvel", "accel", "magn"].map { .init(kind: $0, scale: 0.001) { _ in SIMD3(0, 0, 1) } })
        return try SimulatedIIODevice(model, number: number)
    }

    private static func kernelChip(_ name: String) -> String { "[[chip]]\ntype = \"IIO\"\ndevice = \"\(name)\"\n" }

    /// Every kind of question; a place needs a receiver and a sound a loudspeaker, which no
    /// letters replace.
    @Test(arguments: boards) func freeTextCanBeAskedOnEveryShippedBoard(_ name: String) throws {
        let study = try LoadedStudy(
            AgentFixture.protocolText(
                days: 1, times: [(10, 0)],
                questions: AgentFixture.yesNo + "," + AgentFixture.freeText + "," + Self.others),
            origin: "study.json")
        let verdict = StudyVerdict(study.study, on: try Panel(board(name)))
        #expect(verdict.entries.count >= 8 && verdict.refusals.isEmpty, "\(verdict.refusals.map(\.text))")
    }

    /// Refused with place and remedy, for every participant; a task that is there is not.
    @Test func aButtonsTaskMustBeOneThatTheBoardCanStart() throws {
        let study = try LoadedStudy(
            AgentFixture.protocolText(days: 1, times: [(10, 0)], questions: AgentFixture.yesNo), origin: "study.json"
        ).study
        let known = try #require(study.tasks.first?.key)
        for (task, refusals) in [(known, 0), ("nosuch", 1)] {
            let text =
                BoardDescriptionTests.least
                + "[[button]]\nname = \"red\"\ndevice = \"/dev/gpiochip0:27\"\ntask = \"\(task)\"\n"
            let board = try BoardDescription(parsing: text, file: "b.toml")
            let verdict = StudyVerdict(study, on: try Panel(board))
            #expect(verdict.buttonRefusals.count == refusals)
            let refusal = verdict.buttonRefusals.first ?? ""
            #expect(
                refusals == 0
                    || refusal.hasPrefix("b.toml:11: button[1].task") && refusal.contains("no task 'nosuch'")
                        && refusal.contains(known),
                "\(refusal)")
            // A new version of a study that runs is followed all the same.
            #expect(verdict.refusals.isEmpty && !verdict.isRefused)
        }
    }

    /// Every question of MyStudies' iOS app (9091edbe, `ActivityQuestionStep.swift`:
    /// QuestionStepType, `ActivityStepType.form`), in the formats of its metadata server, with the
    /// words for "another" choice, which are free text.
    static let questions: [(type: String, format: String)] = [
        ("boolean", ""), ("date", #""style":"Date""#), ("date", #""style":"Date-Time""#), ("timeOfDay", ""),
        ("height", #""measurementSystem":"Metric""#), ("height", #""measurementSystem":"US""#),
        (
            "imageChoice",
            #""imageChoices":[{"image":"a","selectedImage":"a","text":"a","value":"1"},{"image":"b","selectedImage":"b","text":"b","value":"2"}]"#
        ),
        ("location", #""useCurrentLocation":true"#),
        ("numeric", #""style":"Decimal","unit":"kg","minValue":2,"maxValue":99"#),
        ("numeric", #""style":"Integer""#), ("scale", #""minValue":1,"maxValue":10,"step":1,"vertical":false"#),
        ("continuousScale", #""minValue":0,"maxValue":1,"maxFractionDigits":2"#),
        ("textScale", #""textChoices":[{"text":"a","value":"1"},{"text":"b","value":"2"}]"#),
        (
            "textChoice",
            #""selectionStyle":"Single","textChoices":[{"text":"a","value":"1"},{"text":"other","value":"2","other":{"isMandatory":true,"placeholder":"p","isEnabled":true}}]"#
        ),
        (
            "textChoice",
            #""selectionStyle":"Multiple","textChoices":[{"text":"a","value":"1"},{"text":"none","value":"0","exclusive":true}]"#
        ),
        ("valuePicker", #""textChoices":[{"text":"a","value":"1"},{"text":"b","value":"2"}]"#),
        ("timeInterval", #""default":0,"step":15"#), ("email", ""), ("text", #""maxLength":0,"multipleLines":true"#),
    ]

    @Test(arguments: boards + ["keypad", "simulated-keypad"])
    func everyQuestionOfMyStudiesCanBeAskedOnEveryShippedBoard(_ name: String) throws {
        let steps = Self.questions.enumerated().map { index, question in
            #"{"type":"question","resultType":"\#(question.type)","key":"q\#(index)","title":"?","text":"","skippable":false,"format":{\#(question.format)}}"#
        }
        let form =
            #"{"type":"form","resultType":"grouped","key":"f","skippable":false,"steps":[\#(steps.joined(separator: ","))]}"#
        let text =
            #"{"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"1.0"},"steps":[\#(form)]}}"#
        let files = [StudySource.File(name: "A_1.0.json", bytes: Array(text.utf8))]
        let study = try LoadedStudy(StudyBundle.bytes(files, options: StudyOptions()), origin: "folder").study
        let types = Set(study.tasks.flatMap(\.content.steps).map(\.wireType))
        #expect(types.isSuperset(of: Self.questions.map(\.type)), "\(types)")
        let board = try board(name)
        let refusals = StudyVerdict(study, on: try Panel(board)).refusals
        // A place needs a receiver: no panel replaces it.
        let expected = board.position == nil ? ["location"] : []
        #expect(refusals.map(\.step.wireType) == expected, "\(refusals.map(\.text))")
    }

    /// schema's other question types that need no loudspeaker.
    private static let others = """
        {"id":"what","type":"instruction","text":"Read."},
        {"id":"one","type":"multi","text":"Which?","required":true,"radio":true,"modal":false,"shuffle":false,"options":["a","b"]},
        {"id":"many","type":"multi","text":"Which?","required":true,"radio":false,"modal":false,"shuffle":false,"options":["a","b"]},
        {"id":"number","type":"text","subtype":"numeric","text":"How many?","required":true},
        {"id":"day","type":"datetime","subtype":"date","text":"When?","required":true},
        {"id":"time","type":"datetime","subtype":"time","text":"When?","required":true},
        {"id":"both","type":"datetime","subtype":"datetime","text":"When?","required":true},
        {"id":"short","type":"text","subtype":"short","text":"A word?","required":true},
        {"id":"face","type":"media","subtype":"image","text":"See?","src":"https://example.org/a.png","thumb":"","required":false}
        """
}
