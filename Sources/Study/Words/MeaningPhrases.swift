// SPDX-License-Identifier: Apache-2.0

/// What buttons are labelled with where a panel is drawn.
enum MeaningPhrases {
    static let list = Phrase("what you can do now", de: "was jetzt möglich ist", es: "qué se puede hacer ahora")
    static let notNow = Phrase("not now", de: "nicht jetzt", es: "ahora no")
    static let menu = Phrase("menu", de: "Menü", es: "menú")
    static let task = Phrase("open its task", de: "Aufgabe öffnen", es: "abrir su tarea")
    static let next = Phrase("next", de: "weiter", es: "siguiente")
    static let previous = Phrase("previous", de: "zurück", es: "anterior")
    static let choose = Phrase("choose", de: "auswählen", es: "elegir")
    static let tick = Phrase("tick or untick", de: "an- oder abwählen", es: "marcar o desmarcar")
    static let skip = Phrase("skip", de: "überspringen", es: "omitir")
    static let more = Phrase("more", de: "mehr", es: "más")
    static let less = Phrase("less", de: "weniger", es: "menos")
    static let goOn = Phrase("continue", de: "weiter", es: "continuar")
    static let again = Phrase("repeat", de: "noch einmal", es: "otra vez")
    static let measure = Phrase("measure", de: "messen", es: "medir")
    static let start = Phrase("start", de: "starten", es: "empezar")
    static let takeBack = Phrase("undo", de: "zurücknehmen", es: "deshacer")
    static let submit = Phrase("submit", de: "absenden", es: "enviar")
    static let lastQuestion = Phrase("last question", de: "letzte Frage", es: "última pregunta")
    static let leave = Phrase("leave without saving", de: "ohne Speichern beenden", es: "terminar sin guardar")
    static let stay = Phrase("stay", de: "bleiben", es: "quedarse")
}
