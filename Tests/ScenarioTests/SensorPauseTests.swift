// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The participant pauses the sensors of a running agent by the panel's menu, and the pause ends by
/// itself. Log and tables are read by Python's sqlite3, gzip and csv, the light by its file.
@Suite struct SensorPauseTests {
    @Test(.timeLimit(.minutes(20))) func aPauseIsCountedSignalledAndEndsByItself() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"], rotate: "1h")
            let config = stage.folder + "/studyd.toml"
            try Files.write(Files.text(config) + "[privacy]\npause = \"1m\"\n", to: config)
            try stage.board(.init(wishes: ["pause"]))
            let study = LabStudy(
                postURL: "http://127.0.0.1:9/answers", modules: [LabStudy.always("pain", question: "level")])
            try Files.write(study.text, to: stage.folder + "/study.json")
            let enrolled = try await stage.studyd(
                "enroll", stage.folder + "/study.json", "--participant", "P9", "--seed", "3")
            #expect(enrolled.code == 0, "\(enrolled)")
            try Files.write(Self.watch, to: stage.folder + "/watch.py")
            try Files.write(Self.read, to: stage.folder + "/read.py")

            let agent = try await stage.agent()
            let board = try #require(agent.simulatedBoard)
            let watch = try stage.start(["python3", stage.folder + "/watch.py", board])
            try await eventually("the pause is over") {
                let log = try stage.start(["python3", stage.folder + "/read.py", stage.state, "log"])
                return try await log.ended() == 0 && log.output.contains("sensorsResumed")
            }
            let before = try await Self.stored(stage)
            try await eventually("samples are kept again") { try await Self.stored(stage) > before + 1000 }
            try await eventually("the light shows the end of it") { watch.output.contains("green") }
            try await agent.stop()
            watch.signal(SIGTERM)
            try await watch.ended()

            let found = try stage.start(["python3", stage.folder + "/read.py", stage.state, "all"])
            #expect(try await found.ended() == 0, "\(found.errors)")
            let pause = try JSON(parsing: found.output)
            #expect(pause["byHand"] == .boolean(false) && abs(pause["length"].double - 60) < 0.001, "\(found.output)")
            // Nothing of that minute is in the tables, and little of the time around it is missing.
            #expect(
                pause["inside"].int == 0 && pause["before"].double < 1 && pause["after"].double < 1, "\(found.output)")
            for (kind, rate) in [("accelerometer", 100.0), ("magnetometer", 20.0)] {
                let lost = pause["lost"][kind].double
                #expect(abs(lost / (60 * rate) - 1) < 0.03, "\(kind): \(lost)")
            }
            // Violet while it lasts: it begins with a long, and each ten seconds has three blips.
            #expect(watch.output.split(separator: "\n").count { $0.hasSuffix("violet") } >= 6, "\(watch.output)")
            try await stage.expectWhole()
        }
    }

    private static func stored(_ stage: Stage) async throws -> Int {
        try await stage.status()["measures"].list.first { $0["channel"].text == "accelerometer" }?["stored"].int ?? 0
    }

    /// When the light changes, and to what.
    private static let watch = """
        import glob, sys, time
        names = {"200 0 255": "violet", "0 255 0": "green"}
        def first(path):
            with open(path) as file:
                return file.readline().strip()
        place = glob.glob(sys.argv[1] + "/**/multi_intensity", recursive=True)[0]
        before = None
        while True:
            colour = first(place)
            now = names.get(colour, colour) if first(place.replace("multi_intensity", "brightness")) != "0" else "dark"
            if now != before:
                print(f"{time.monotonic():.3f} {now}", flush=True)
            before = now
            time.sleep(0.005)
        """

    private static let read = """
        import csv, glob, gzip, json, sqlite3, sys
        state, what = sys.argv[1:]
        store = sqlite3.connect(f"file:{state}/studyd.sqlite?mode=ro", uri=True)
        rows = dict(store.execute("SELECT kind, body FROM event WHERE kind IN ('sensorsPaused', 'sensorsResumed')"))
        if what == "log":
            print(*rows)
            sys.exit()
        paused, resumed = json.loads(rows["sensorsPaused"]), json.loads(rows["sensorsResumed"])
        times, lost = [], {}
        for path in glob.glob(f"{state}/recordings/*.json"):
            note = json.load(open(path))
            lost[note["kind"]] = lost.get(note["kind"], 0) + note["samplesLost"].get("privacy", 0)
        for path in glob.glob(f"{state}/recordings/*.csv.gz"):
            with gzip.open(path, "rt") as file:
                times += [float(row[1]) for row in csv.reader(line for line in file if line[0].isdigit())]
        start, end = paused["at"] / 1e9, resumed["at"] / 1e9
        print(json.dumps({
            "byHand": resumed["byHand"], "length": end - start, "lost": lost,
            "inside": sum(start < time < end for time in times),
            "before": start - max(time for time in times if time <= start),
            "after": min(time for time in times if time >= end) - end}))
        """
}

extension JSON {
    fileprivate var double: Double { if case .number(let value) = self { value } else { .nan } }
}
