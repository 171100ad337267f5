module runfair

go 1.18
