// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@testable import Base
@testable import Dataset

@Suite struct XDFExportTests {
    private static let hasPyXDF = DatasetProgram.has("pyxdf")

    /// By the reader of the people who made the format: the signals of an enrolment, its presses,
    /// prompts and answers are on one clock, which is UTC when the offsets are added.
    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)))
    func anEnrolmentIsOneFileWithItsPromptsAndAnswers() throws {
        let study = try RecordedStudy(["P017"])
        let path = study.folder("xdf")
        let outcome = try XDFExport(study, to: DatasetFolder(path), window: .all).run(bytes: 0)
        #expect(outcome.recordings == 4 && outcome.issues.isEmpty)
        let script = """
            import sys, pyxdf
            for s in pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)[0]:
                first = s["time_series"][0]
                print(s["info"]["name"][0], len(s["time_stamps"]), "%.3f" % (s["time_stamps"][0] - 1795251600),
                    first[0] if s["info"]["type"][0] == "Markers" else "", sep="|")
            """
        let lines =
            DatasetProgram.python(script, ["\(path)/P017/e-P017.xdf"])?.split(separator: "\n").map(String.init) ?? []
        let stored = try study.record(of: study.participants[0]).recordings[0].description?.samplesStored ?? 0
        #expect(
            lines == [
                "motion|\(stored)|0.000|", "field|100|0.000|", "buttons|2|12.000|select (middle)", "levels|2|0.500|",
                "prompts|4|10.000|prompt evening", "answers|3|40.000|foods = [\"banana\",\"apple\"]",
            ])
    }
}
