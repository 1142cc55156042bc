// SPDX-License-Identifier: Apache-2.0
import Study

/// What the demo prints for whoever plays the participant, besides what the device itself would say
/// or print. The lines of the log that it shows with it are for those who look after the device.
enum DemoPhrases {
    static let card = Phrase("card {0}: {1}", de: "Karte {0}: {1}", es: "tarjeta {0}: {1}")
    static let recording = Phrase(
        "● recording the answer", de: "● die Antwort wird aufgenommen", es: "● grabando la respuesta")
    static let recorded = Phrase("■ recording ended", de: "■ Aufnahme beendet", es: "■ grabación terminada")
    static let leaves = Phrase(
        "the participant leaves the study", de: "die Teilnahme ist beendet", es: "la persona abandona el estudio")
    static let toldAgain = Phrase(
        "the prompt is given again", de: "die Erinnerung kommt noch einmal", es: "el aviso se repite")
    static let atRest = Phrase("at rest", de: "in Ruhe", es: "en reposo")
    static let choose = Phrase("choose", de: "auswählen", es: "elegir")
    static let saving = Phrase("one moment", de: "einen Moment", es: "un momento")
    static let promptWaits = Phrase("a prompt waits", de: "eine Erinnerung wartet", es: "hay un aviso pendiente")
    static let nextPrompt = Phrase(
        "The next prompt comes at {0}.", de: "Die nächste Erinnerung kommt um {0}.",
        es: "El próximo aviso llega a las {0}.")
    static let noPrompt = Phrase(
        "No more prompts will come.", de: "Es kommen keine Erinnerungen mehr.", es: "No habrá más avisos.")
    static let held = Phrase("held: {0}", de: "gehalten: {0}", es: "mantenido: {0}")

    /// The keys of the terminal.
    static let press = Phrase("{0}: press", de: "{0}: drücken", es: "{0}: pulsar")
    static let keys = Phrase("its key", de: "Taste", es: "su tecla")
    static let hold = Phrase(
        "Shift+key: short hold · Alt+key: long hold · Shift+Alt+key: longest hold",
        de: "Umschalt+Taste: kurz halten · Alt+Taste: lang halten · Umschalt+Alt+Taste: am längsten",
        es: "Mayús+tecla: mantener poco · Alt+tecla: mucho · Mayús+Alt+tecla: lo más")
    static let holdAsLong = Phrase(
        "held: the button is held as long as the key", de: "gehalten: der Knopf wird so lange gehalten",
        es: "mantenida: el botón se mantiene igual")
    static let menuKey = Phrase("[{0}] menu", de: "[{0}] Menü", es: "[{0}] menú")
    static let jumpKey = Phrase("[{0}] next prompt", de: "[{0}] nächste Erinnerung", es: "[{0}] próximo aviso")
    static let endKey = Phrase("[{0}] end", de: "[{0}] Ende", es: "[{0}] fin")

    /// Why the clock does not jump.
    static let jumpWaits = Phrase(
        "a prompt waits: answer it, or put it off, before the clock jumps",
        de: "eine Erinnerung wartet: erst antworten oder aufschieben, dann springt die Uhr",
        es: "hay un aviso pendiente: responde o aplázalo antes de que salte el reloj")
    static let jumpBusy = Phrase(
        "something is open: finish or leave it before the clock jumps",
        de: "es ist etwas offen: erst beenden oder verlassen, dann springt die Uhr",
        es: "hay algo abierto: termínalo o déjalo antes de que salte el reloj")
    static let jumpSoon = Phrase(
        "the next prompt comes by itself in a moment", de: "die nächste Erinnerung kommt gleich von selbst",
        es: "el próximo aviso llega enseguida")
    static let jumped = Phrase(
        "… the clock jumps to shortly before the next prompt", de: "… die Uhr springt kurz vor die nächste Erinnerung",
        es: "… el reloj salta hasta poco antes del próximo aviso")
}
